import * as z from 'zod'
import { domain, field, filledText, ip, list } from '../../../config/primitives.ts'

/** Additions to name resolution on every host. */
export const extraConfig = {
  hosts: field(
    list(
      z.strictObject({
        domain: field(domain(), 'Name to resolve.', 'nexus.example.com'),
        address: field(ip(), 'Its address.', '192.168.1.100'),
      }),
    ),
    'Entries added to /etc/hosts on every host.',
    [{ domain: 'nexus.example.com', address: '192.168.1.100' }],
  ),
  resolves: field(
    list(z.strictObject({ address: field(ip(), 'Address of the name server.', '192.168.0.53') })),
    'Name servers added on every host.',
    [{ address: '192.168.0.53' }],
  ),
  searches: field(list(domain()), 'Search domains added on every host.', ['example.com']),
  options: field(list(filledText()), 'Resolver options added on every host.', ['ndots:2']),
}
