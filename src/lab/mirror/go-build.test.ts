import { expect, test } from 'vitest'
import { naturalName } from './go-build.ts'

test.each([
  ['go.etcd.io/etcd/server/v3', '.', 'server'],
  ['k8s.io/kubernetes', './cmd/kubelet', 'kubelet'],
  ['github.com/containerd/containerd/v2', './cmd/ctr', 'ctr'],
  ['github.com/coredns/coredns', '.', 'coredns'],
])('go build names the program of %s %s %s', (module, path, name) => {
  expect(naturalName(module, path)).toBe(name)
})
