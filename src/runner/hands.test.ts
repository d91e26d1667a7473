import { describe, expect, it } from 'vitest'
import { fail } from '../error/index.ts'
import { plainer } from './hands.ts'

const upload = (why: string) =>
  fail('KX_FILE', { action: 'uploading', path: '/usr/local/bin/kubelet', why }, { seen: why, where: { host: 'node1' } })

describe('what the kernel of a host says', () => {
  it.each([
    ['a full disk', upload('cat: write error: No space left on device'), 'KX_HOST_DISK_FULL', /df -h/],
    [
      'a full disk of the container runtime',
      fail('KX_COMMAND', { command: 'ctr images import', code: 1 }, { seen: 'ctr: write /var/lib/containerd/x: no space left on device' }),
      'KX_HOST_DISK_FULL',
      /--resume/,
    ],
    [
      'a program for another architecture',
      fail(
        'KX_SERVICE',
        { unit: 'etcd', action: 'start' },
        { seen: 'etcd.service: Failed at step EXEC spawning /usr/local/bin/etcd: Exec format error' },
      ),
      'KX_EXEC_FORMAT',
      /architecture/,
    ],
  ] as const)('%s has a code and a fix of its own', (_, error, code, fix) => {
    const plain = plainer(error)
    expect(plain).toMatchObject({ code, where: error.where, seen: error.seen, params: { what: error.message }, cause: error })
    expect(plain.fix).toMatch(fix)
  })

  it('is left as it is where it is about something else', () => {
    const error = upload('Permission denied')
    expect(plainer(error)).toBe(error)
  })
})
