import { describe, expect, it } from 'vitest'
import { conforms, withCreated } from '../../../../test/conformance/conforms.ts'
import { oneHost } from '../../../../test/support/clusters.ts'
import { kernel } from './index.ts'
import { modulesFor, sysctlsFor } from './templates.ts'

const scenario = oneHost(`system:
  modules: [nf_conntrack, vxlan]
  sysctlParams: {vm.max_map_count: "262144", kernel.panic: "5"}`)

conforms(kernel, scenario)

describe('the kernel', () => {
  it('is as wanted after a reboot too', () =>
    withCreated(kernel, scenario, 'debian-12', async ({ machines }) => {
      for (const machine of machines.values()) {
        const [modules, sysctls] = [machine.state.modules, machine.state.sysctls]
        machine.reboot()
        expect(machine.state.modules).toEqual(modules)
        expect(machine.state.sysctls).toEqual(sysctls)
      }
    }))

  it('loads ip_vs only for the proxy that uses it, and nothing twice', () => {
    expect(modulesFor({ proxyMode: 'iptables' }, ['rbd', 'overlay'])).toEqual(['overlay', 'br_netfilter', 'rbd'])
    expect(modulesFor({ proxyMode: 'ipvs' }, [])).toContain('ip_vs_wrr')
  })

  it('forwards IPv6 only where pods have it, and what the user says counts', () => {
    expect(sysctlsFor({ podRanges: ['10.233.64.0/18'] }, {})).not.toHaveProperty(['net.ipv6.conf.all.forwarding'])
    expect(sysctlsFor({ podRanges: ['10.233.64.0/18', 'fd85::/112'] }, { 'kernel.panic': '0' })).toMatchObject({
      'net.ipv6.conf.all.forwarding': '1',
      'kernel.panic': '0',
    })
  })
})
