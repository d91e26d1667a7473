import { expect, it } from 'vitest'
import { smallCluster } from '../../test/support/clusters.ts'
import type { ClusterHost } from '../config/index.ts'
import { certificateRequest } from '../simulation/certificate-request.ts'
import { type SigningRequest, servingRequestFault } from './request.ts'

const { cluster, hosts } = smallCluster()
const host = hosts[1] as ClusterHost

const user = 'system:node:node2'
const request = (over: Partial<Parameters<typeof certificateRequest>[0]> = {}): string =>
  certificateRequest({ user, group: 'system:nodes', names: ['node2', '192.0.2.2'], ...over })
const asked = (over: Partial<SigningRequest> = {}): SigningRequest => ({
  username: user,
  groups: ['system:nodes', 'system:authenticated'],
  usages: ['key encipherment', 'digital signature', 'server auth'],
  request: request(),
  ...over,
})

it.each([
  ['its own names', asked(), null],
  ['one of its names', asked({ request: request({ names: ['192.0.2.2'] }) }), null],
  ['no name at all', asked({ request: request({ names: [] }) }), 'it asks for no name and no address'],
  [
    'the address of another',
    asked({ request: request({ names: ['node2', '192.0.2.1'] }) }),
    'it asks for 192.0.2.1, which is not of node2',
  ],
  [
    'the name of another',
    asked({ request: request({ names: ['kubernetes.default'] }) }),
    'it asks for kubernetes.default, which is not of node2',
  ],
  ['another user', asked({ request: request({ user: 'system:node:node1' }) }), 'it asks for the name system:node:node1'],
  ['another group', asked({ request: request({ group: 'system:masters' }) }), 'it asks for the groups system:masters'],
  ['the use of a client', asked({ usages: ['server auth', 'client auth'] }), 'it is for server auth, client auth, not for a server alone'],
  ['no use', asked({ usages: [] }), 'it is for nothing, not for a server alone'],
  ['what is no request', asked({ request: Buffer.from('nonsense').toString('base64') }), 'it cannot be read'],
  ['it in the name of another', asked({ username: 'system:node:node1' }), 'it was made by system:node:node1, not by system:node:node2'],
  ['it without being a node', asked({ groups: ['system:authenticated'] }), `it was made by ${user}, not by ${user}`],
])('a kubelet that asks for %s', async (_, csr, fault) => {
  expect(await servingRequestFault(cluster, host, csr)).toBe(fault)
})
