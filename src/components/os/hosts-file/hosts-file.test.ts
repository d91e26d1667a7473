import { describe, expect, it } from 'vitest'
import { conforms } from '../../../../test/conformance/conforms.ts'
import { smallCluster } from '../../../../test/support/clusters.ts'
import { hostsFile } from './index.ts'
import { hostsBlock } from './templates.ts'

conforms(
  hostsFile,
  smallCluster(`extra:
  hosts: [{domain: files.example.com, address: 192.0.2.50}]`),
)

describe('the block in /etc/hosts', () => {
  it('names hosts by every address, the endpoint, the registry and what else is asked for', () => {
    const block = hostsBlock({
      hosts: [
        { name: 'node1', addresses: ['192.0.2.1', '2001:db8::1'] },
        { name: 'node2', addresses: ['192.0.2.2'] },
      ],
      endpoint: { domain: 'lb.kubexm.local', address: '192.0.2.9' },
      registry: { domain: 'hub.kubexm.local', address: '192.0.2.2' },
      extra: [{ domain: 'files.example.com', address: '192.0.2.50' }],
      dnsDomain: 'cluster.local',
    })
    expect(block).toBe(`192.0.2.1 node1 node1.cluster.local
2001:db8::1 node1 node1.cluster.local
192.0.2.2 node2 node2.cluster.local
192.0.2.9 lb.kubexm.local
192.0.2.2 hub.kubexm.local
192.0.2.50 files.example.com`)
  })

  it('has no endpoint where DNS knows it', () => {
    expect(hostsBlock({ hosts: [], endpoint: null, registry: null, extra: [], dnsDomain: 'cluster.local' })).toBe('')
  })
})
