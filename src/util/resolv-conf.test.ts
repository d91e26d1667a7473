import { expect, it } from 'vitest'
import { podResolver } from './resolv-conf.ts'

it.each([
  [
    'the host names its servers',
    '# made by hand\nsearch example.com\nnameserver 192.0.2.1\n nameserver\t2001:db8::1\n',
    null,
    ['192.0.2.1', '2001:db8::1'],
  ],
  ['a stub hides them', 'nameserver 127.0.0.53\noptions edns0\n', 'nameserver 192.0.2.9\n', ['192.0.2.9']],
  ['a stub hides none', 'nameserver 127.0.0.53\n', '', []],
  ['a stub of somebody else', 'nameserver 127.0.0.53\n', null, ['127.0.0.53']],
  ['the stub is only one of them', 'nameserver 127.0.0.53\nnameserver 192.0.2.1\n', 'nameserver 192.0.2.9\n', ['127.0.0.53', '192.0.2.1']],
  ['nothing is said', 'search example.com\n;nameserver 192.0.2.1\n', 'nameserver 192.0.2.9\n', []],
])('%s', (_, own, behindStub, servers) => {
  expect(podResolver(own, behindStub).servers).toEqual(servers)
})

it('names the file they are in', () => {
  expect(podResolver('nameserver 127.0.0.53\n', '').file).toBe('/run/systemd/resolve/resolv.conf')
  expect(podResolver('', '').file).toBe('/etc/resolv.conf')
})
