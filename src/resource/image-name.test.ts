import { describe, expect, it } from 'vitest'
import { clusterOf } from '../../test/support/clusters.ts'
import type { Cluster } from '../config/index.ts'
import { imageName, privateRegistryOf } from './image-name.ts'

const withRegistry = (registry: string): Cluster =>
  clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
  - {name: node1, address: 192.0.2.1, privateKeyPath: ~/.ssh/id_ed25519}
  - {name: node2, address: 192.0.2.2, privateKeyPath: ~/.ssh/id_ed25519}
  roleGroups: {etcd: [node1], master: [node1], worker: [node2]${registry.includes('external') || registry.includes('none') ? '' : ', registry: [node2]'}}
  registry: ${registry}`)

const rules = 'namespaceRewrite: {rules: [{registry: docker.io, oldNamespace: library, newNamespace: base}]}'

describe('the name of an image on the hosts', () => {
  it.each<{ scenario: string; registry: string; image: string; name: string }>([
    {
      scenario: 'without a private registry it is its own',
      registry: '{type: none}',
      image: 'registry.k8s.io/coredns/coredns:v1.12.1',
      name: 'registry.k8s.io/coredns/coredns:v1.12.1',
    },
    {
      scenario: 'a registry that is not used changes nothing',
      registry: '{type: none, privateRegistry: hub.local, namespaceOverride: all}',
      image: 'registry.k8s.io/pause:3.10',
      name: 'registry.k8s.io/pause:3.10',
    },
    {
      scenario: 'the private registry holds it under its path',
      registry: '{type: external, privateRegistry: "hub.local:5000"}',
      image: 'registry.k8s.io/coredns/coredns:v1.12.1',
      name: 'hub.local:5000/coredns/coredns:v1.12.1',
    },
    {
      scenario: 'an image without a namespace has none there either',
      registry: '{type: external, privateRegistry: hub.local}',
      image: 'registry.k8s.io/pause:3.10',
      name: 'hub.local/pause:3.10',
    },
    {
      scenario: "Docker's own namespace is written out",
      registry: '{type: external, privateRegistry: hub.local}',
      image: 'nginx:1.28.0',
      name: 'hub.local/library/nginx:1.28.0',
    },
    {
      scenario: 'one project may hold all images',
      registry: '{type: external, privateRegistry: hub.local, namespaceOverride: kubexm}',
      image: 'registry.k8s.io/dns/k8s-dns-node-cache:1.26.4',
      name: 'hub.local/kubexm/k8s-dns-node-cache:1.26.4',
    },
    {
      scenario: 'also those without a namespace',
      registry: '{type: external, privateRegistry: hub.local, namespaceOverride: kubexm/mirror}',
      image: 'registry.k8s.io/kube-proxy:v1.34.4',
      name: 'hub.local/kubexm/mirror/kube-proxy:v1.34.4',
    },
    {
      scenario: 'a rule maps one namespace of one registry',
      registry: `{type: external, privateRegistry: hub.local, ${rules}}`,
      image: 'docker.io/library/haproxy:2.8.16',
      name: 'hub.local/base/haproxy:2.8.16',
    },
    {
      scenario: 'and no other registry',
      registry: `{type: external, privateRegistry: hub.local, ${rules}}`,
      image: 'quay.io/library/haproxy:2.8.16',
      name: 'hub.local/library/haproxy:2.8.16',
    },
    {
      scenario: 'a rule is stronger than the override',
      registry: `{type: external, privateRegistry: hub.local, namespaceOverride: all, ${rules}}`,
      image: 'docker.io/library/haproxy:2.8.16',
      name: 'hub.local/base/haproxy:2.8.16',
    },
    {
      scenario: 'rules may be switched off',
      registry: `{type: external, privateRegistry: hub.local, ${rules.replace('{rules', '{enabled: false, rules')}}`,
      image: 'docker.io/library/haproxy:2.8.16',
      name: 'hub.local/library/haproxy:2.8.16',
    },
    {
      scenario: 'one that is in the private registry already stays where it is',
      registry: '{type: external, privateRegistry: hub.local, namespaceOverride: all}',
      image: 'hub.local/own/tool:v1',
      name: 'hub.local/own/tool:v1',
    },
    {
      scenario: 'a digest stays',
      registry: '{type: external, privateRegistry: hub.local}',
      image: `ghcr.io/flannel-io/flannel:v0.26.7@sha256:${'0'.repeat(64)}`,
      name: `hub.local/flannel-io/flannel:v0.26.7@sha256:${'0'.repeat(64)}`,
    },
    {
      scenario: 'the registry kubexm installs has a name of its own',
      registry: '{type: registry}',
      image: 'registry.k8s.io/pause:3.10',
      name: 'dockerhub.kubexm.local/pause:3.10',
    },
    {
      scenario: 'and its port, where that is not the usual one',
      registry: '{type: registry, registryConfig: {port: 5000}}',
      image: 'registry.k8s.io/pause:3.10',
      name: 'dockerhub.kubexm.local:5000/pause:3.10',
    },
  ])('$scenario', ({ registry, image, name }) => expect(imageName(withRegistry(registry), image)).toBe(name))
})

it.each([
  ['{type: harbor, harborConfig: {httpsPort: 8443}}', 'dockerhub.kubexm.local:8443'],
  ['{type: registry, privateRegistry: "hub.local:5000", registryConfig: {port: 5000}}', 'hub.local:5000'],
  ['{privateRegistry: hub.local} # external', 'hub.local'],
  ['{type: none}', null],
])('the private registry of %s is %s', (registry, expected) => {
  expect(privateRegistryOf(withRegistry(registry))).toBe(expected)
})
