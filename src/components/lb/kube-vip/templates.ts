import type { Json } from '../../../util/json.ts'

/** What kube-vip does on one master. */
export interface KubeVipSettings {
  readonly address: string
  readonly port: number
  readonly interface: string
  /** The API server of the same host: through the virtual address it would have to be there before it is there. */
  readonly apiServer: string
  /** Spread connections over all masters, which needs ipvs in the kernel. */
  readonly balances: boolean
  readonly services: boolean
  /** Announced by BGP; null: by ARP, from the one that was elected. */
  readonly bgp: {
    readonly routerId: string
    readonly asn: number
    readonly peerAddress: string
    readonly peerAsn: number
    readonly sourceAddress: string | null
  } | null
  readonly extra: Readonly<Record<string, string>>
}

/** The environment of kube-vip: all it reads. */
export function kubeVipEnvironment(settings: KubeVipSettings): Readonly<Record<string, Json>> {
  const { address, port, bgp } = settings
  const announced: Readonly<Record<string, string>> =
    bgp === null
      ? {
          vip_arp: 'true',
          vip_leaderelection: 'true',
          vip_leasename: 'plndr-cp-lock',
          // Who waits for the address to become free begins to count when it last saw a sign of life: after etcd has a leader again.
          // With two seconds for that, four for this and a try every one or two, ten are enough whatever the dead master was.
          vip_leaseduration: '4',
          vip_renewdeadline: '3',
          vip_retryperiod: '1',
        }
      : {
          vip_arp: 'false',
          bgp_enable: 'true',
          bgp_routerid: bgp.routerId,
          bgp_as: String(bgp.asn),
          bgp_peeraddress: bgp.peerAddress,
          bgp_peeras: String(bgp.peerAsn),
          ...(bgp.sourceAddress === null ? {} : { bgp_sourceip: bgp.sourceAddress }),
        }
  return {
    address,
    port: String(port),
    vip_interface: settings.interface,
    vip_subnet: address.includes(':') ? '128' : '32',
    vip_nodename: { fieldRef: { fieldPath: 'spec.nodeName' } },
    kubernetes_addr: settings.apiServer,
    cp_enable: 'true',
    cp_namespace: 'kube-system',
    ...announced,
    ...(settings.balances ? { lb_enable: 'true', lb_port: String(port), lb_fwdmethod: 'local' } : {}),
    ...(settings.services ? { svc_enable: 'true', svc_leasename: 'plndr-svcs-lock' } : {}),
    prometheus_server: '127.0.0.1:2112',
    ...settings.extra,
  }
}
