import { describe, expect, test } from 'vitest'
import { cgroupsIn, hierarchiesIn } from './cgroups.ts'

const hybrid = `tmpfs /sys/fs/cgroup tmpfs rw,mode=755 0 0
cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,nosuid,nodev,noexec,relatime,cpu,cpuacct 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0
cgroup /sys/fs/cgroup/systemd cgroup rw,relatime,xattr,name=systemd 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0
cgroup /sys/fs/cgroup/freezer cgroup ro,relatime,freezer 0 0
cgroup2 /somewhere/else cgroup2 rw 0 0
`

describe('cgroup hierarchies', () => {
  test('are those that can be written, at their usual place', () => {
    expect(hierarchiesIn(hybrid).map(({ path, version }) => [path, version])).toEqual([
      ['/sys/fs/cgroup/cpu,cpuacct', 1],
      ['/sys/fs/cgroup/memory', 1],
      ['/sys/fs/cgroup/systemd', 1],
      ['/sys/fs/cgroup/unified', 2],
    ])
    expect(hierarchiesIn('cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nsdelegate 0 0\n')).toEqual([
      { path: '/sys/fs/cgroup', version: 2, names: [] },
    ])
  })

  test.for([
    {
      scenario: 'both versions',
      membership: '4:memory:/a\n3:cpu,cpuacct:/b\n2:freezer:/c\n1:name=systemd:/d/init.scope\n0::/e\n',
      mounts: hybrid,
      expected: [
        '/sys/fs/cgroup/memory/a',
        '/sys/fs/cgroup/cpu,cpuacct/b',
        '/sys/fs/cgroup/systemd/d/init.scope',
        '/sys/fs/cgroup/unified/e',
      ],
    },
    {
      scenario: 'version 2 alone',
      membership: '0::/x/y:z\n',
      mounts: 'cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n',
      expected: ['/sys/fs/cgroup/x/y:z'],
    },
    { scenario: 'nothing mounted', membership: '0::/x\n', mounts: '', expected: [] },
  ])('a process is found in them: $scenario', ({ membership, mounts, expected }) => {
    expect(cgroupsIn(membership, hierarchiesIn(mounts))).toEqual(expected)
  })
})
