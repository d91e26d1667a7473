import { dedent } from '../../../util/dedent.ts'

/** What keepalived does on one host. */
export interface KeepalivedSettings {
  readonly routerId: string
  readonly interface: string
  readonly virtualRouterId: number
  readonly virtualAddress: string
  /** The place of the host among those that may hold the address: the first has it unless something is wrong. */
  readonly rank: number
  readonly advertInt: number
  readonly preempt: boolean
  /** Whom to talk to directly, and from where; null where everybody on the network is told. */
  readonly unicast: { readonly from: string; readonly to: readonly string[] } | null
  /** VRRP of IPv6 knows no passwords. */
  readonly password: string | null
  readonly checkScript: string
  readonly scriptUser: string
  readonly extra: readonly string[]
}

const highest = 200
/** More than the ranks of all hosts lie apart: a host whose load balancer fails comes after all others, and still before nobody. */
const penalty = 100

/** The whole of keepalived.conf. */
export function keepalivedConf(settings: KeepalivedSettings): string {
  const { unicast, password, virtualAddress, preempt } = settings
  return [
    ...block('global_defs', [
      `router_id ${settings.routerId}`,
      'enable_script_security',
      `script_user ${settings.scriptUser}`,
      // A neighbour that missed the first announcements would go on sending to the host that had the address.
      'vrrp_garp_master_refresh 60',
    ]),
    ...block('vrrp_script load_balancer', [
      `script "${settings.checkScript}"`,
      'interval 2',
      'timeout 4',
      'fall 2',
      'rise 2',
      // Who may not take the address back from a lower rank would not get it from one that sank either: then a failed check gives it up.
      ...(preempt ? [`weight -${penalty}`] : []),
    ]),
    ...block('vrrp_instance kube_apiserver', [
      'state BACKUP',
      ...(preempt ? [] : ['nopreempt']),
      `interface ${settings.interface}`,
      `virtual_router_id ${settings.virtualRouterId}`,
      `priority ${highest - settings.rank}`,
      `advert_int ${settings.advertInt}`,
      ...(password === null ? [] : block('authentication', ['auth_type PASS', `auth_pass ${password}`])),
      ...(unicast === null ? [] : [`unicast_src_ip ${unicast.from}`, ...block('unicast_peer', unicast.to)]),
      ...block('virtual_ipaddress', [`${virtualAddress} dev ${settings.interface}`]),
      ...block('track_script', ['load_balancer']),
    ]),
    ...settings.extra,
    '',
  ].join('\n')
}

const block = (name: string, lines: readonly string[]): readonly string[] => [`${name} {`, ...lines.map((line) => `    ${line}`), '}']

/**
 * Asks the load balancer of this host how it is. Neither curl nor nc is on every host; bash is, and opens connections by itself.
 * An API server that answers strangers with a refusal answers.
 */
export const checkScript = (healthPort: number): string => dedent`
  #!/bin/bash
  { exec 3<>/dev/tcp/127.0.0.1/${healthPort}; } 2>/dev/null || exit 1
  printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3
  read -r -t 3 _ status _ <&3
  case $status in 200 | 401 | 403) exit 0 ;; esac
  exit 1
`
