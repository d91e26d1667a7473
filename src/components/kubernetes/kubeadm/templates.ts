import { dedent } from '../../../util/dedent.ts'
import { apiClientEnvironment } from '../../../util/systemd.ts'

/** The kubelet's unit, as the packages of Kubernetes have it: how it is called is up to the drop-in. */
export const kubeletUnit = (program: string): string => dedent`
  [Unit]
  Description=kubelet: The Kubernetes Node Agent
  Documentation=https://kubernetes.io/docs/
  Wants=network-online.target
  After=network-online.target containerd.service crio.service docker.service cri-docker.service isulad.service

  [Service]
  ExecStart=${program}
  Restart=always
  StartLimitInterval=0
  RestartSec=2

  [Install]
  WantedBy=multi-user.target
`

/** Where kubeadm and the kubelet leave what the kubelet is called with. */
interface KubeletFiles {
  readonly bootstrapKubeconfig: string
  readonly kubeconfig: string
  /** The kubelet's directory. */
  readonly directory: string
}

/** The drop-in that lets kubeadm say how the kubelet is called; /etc/default/kubelet is the administrator's. */
export const kubeadmDropIn = (program: string, { bootstrapKubeconfig, kubeconfig, directory }: KubeletFiles): string => dedent`
  [Service]
  ${apiClientEnvironment.join('\n')}
  Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=${bootstrapKubeconfig} --kubeconfig=${kubeconfig}"
  Environment="KUBELET_CONFIG_ARGS=--config=${directory}/config.yaml"
  EnvironmentFile=-${directory}/kubeadm-flags.env
  EnvironmentFile=-/etc/default/kubelet
  ExecStart=
  ExecStart=${program} $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
`

/** What never is kubeadm's business here: certificates are ours, CoreDNS is installed apart, and nobody is shown a command to join with. */
const notOurs = ['certs', 'upload-certs', 'addon/coredns', 'show-join-command'] as const

/**
 * The phases of `kubeadm init` to leave out. All others can be done again, over what an init that was cut off has left: only the
 * preflight checks refuse to see what was already made.
 */
export const skippedOnInit = (state: { readonly begun: boolean; readonly kubeProxy: boolean }): readonly string[] => [
  ...(state.begun ? ['preflight'] : []),
  ...notOurs,
  ...(state.kubeProxy ? [] : ['addon/kube-proxy']),
]

/** The phases of `kubeadm init` to leave out where a master takes over other settings: it only writes its own pods and kubelet anew. */
export const skippedOnChange: readonly string[] = [
  'preflight',
  'certs',
  'kubeconfig',
  'etcd',
  'upload-config',
  'upload-certs',
  'mark-control-plane',
  'bootstrap-token',
  'kubelet-finalize',
  'addon',
  'show-join-command',
]

/** The phases of `kubeadm join` to leave out; those that bootstrap the kubelet are refused for a node that is ready. */
export const skippedOnJoin = (
  state: { readonly begun: boolean; readonly ready: boolean },
  bootstrapPhases: readonly string[],
): readonly string[] => [...(state.begun ? ['preflight'] : []), ...(state.ready ? bootstrapPhases : [])]

/** A kubeconfig with another URL of the API. */
export const withServer = (kubeconfig: string, url: string): string => kubeconfig.replace(/^(\s*server:\s*).*$/gm, `$1${url}`)
