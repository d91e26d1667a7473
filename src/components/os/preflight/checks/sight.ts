import { parseLedger } from '../../../../ledger/index.ts'
import { type FileState, hostPaths, type Probe, type StateOf, sh } from '../../../../runner/index.ts'
import type { RunInfo, StepContext } from '../../../../runtime/index.ts'
import { resolverFiles } from '../../../../util/resolv-conf.ts'
import type { HostName } from '../../../../util/where.ts'
import { ipvsModules, modulesOf } from './needs.ts'

const cat = (path: string) => ({ kind: 'command', command: sh`cat -- ${path}` }) as const
const unit = (name: string) => ({ kind: 'unit', name }) as const
const file = (path: string) => ({ kind: 'file', path }) as const

const questions = {
  firewall: { kind: 'firewall' },
  swap: { kind: 'swap' },
  ledger: cat(hostPaths.ledger),
  membership: cat(hostPaths.membership),
  hostsFile: cat('/etc/hosts'),
  resolvConf: cat(resolverFiles.own),
  /** The servers behind the stub of systemd-resolved: what the kubelet gives to pods where there is a stub. */
  resolvedConf: cat(resolverFiles.behindStub),
  controllers: cat('/sys/fs/cgroup/cgroup.controllers'),
  chrony: unit('chrony.service'),
  chronyd: unit('chronyd.service'),
  timesyncd: unit('systemd-timesyncd.service'),
  ntp: unit('ntp.service'),
  ntpd: unit('ntpd.service'),
  kubelet: unit('kubelet.service'),
  kubeletConf: file('/etc/kubernetes/kubelet.conf'),
  manifests: file('/etc/kubernetes/manifests'),
  containerd: unit('containerd.service'),
  docker: unit('docker.service'),
  'cri-o': unit('crio.service'),
  isulad: unit('isulad.service'),
} as const satisfies Readonly<Record<string, Probe>>

type Question = keyof typeof questions

/** What checks know of a host beyond its facts. */
export type Sight = { readonly [Q in Question]: StateOf<(typeof questions)[Q]> } & {
  /** Modules neither there nor to be had. One that is merely not loaded is no matter: kubexm loads it. */
  readonly missingModules: ReadonlySet<string>
  readonly etcdData: FileState
  /** What kubexm has put on the host before, as `kind id`; empty on a host it has never changed. */
  readonly owned: readonly string[]
}

const seen = new WeakMap<RunInfo, Map<HostName, Promise<Sight>>>()

/** Looks at the host once a run: all checks share the one round trip. */
export function sightOf(ctx: StepContext): Promise<Sight> {
  const sights = seen.get(ctx.run) ?? new Map<HostName, Promise<Sight>>()
  seen.set(ctx.run, sights)
  const known = sights.get(ctx.host.name)
  if (known !== undefined) return known
  const asked = look(ctx).catch((error: unknown) => {
    // A lost connection must not be remembered as the answer.
    sights.delete(ctx.host.name)
    throw error
  })
  sights.set(ctx.host.name, asked)
  return asked
}

/** What was seen on another host, if it was looked at. */
export async function sightOfPeer(ctx: StepContext, peer: HostName): Promise<Sight | null> {
  try {
    return (await seen.get(ctx.run)?.get(peer)) ?? null
  } catch {
    // A host that cannot be looked at is reported by its own checks, not by those of the others.
    return null
  }
}

async function look(ctx: StepContext): Promise<Sight> {
  const { spec } = ctx.cluster
  const names = Object.keys(questions) as Question[]
  const modules = [...new Set([...modulesOf(spec).map(({ module }) => module), ...ipvsModules])]
  const answers = await ctx.on.inspect([
    ...names.map((name): Probe => questions[name]),
    file(spec.etcd.dataDir),
    // Either it is there, or modprobe says without doing it that it could be.
    ...modules.flatMap((name): readonly Probe[] => [
      { kind: 'module', name },
      { kind: 'command', command: sh`modprobe -n -q -- ${name}` },
    ]),
  ])
  const sight = Object.fromEntries(names.map((name, i) => [name, answers[i]])) as unknown as Sight
  const about = answers.slice(names.length + 1) as readonly { readonly present?: boolean; readonly code?: number }[]
  const missing = modules.filter((_, i) => about[2 * i]?.present === false && about[2 * i + 1]?.code !== 0)
  const ledger = sight.ledger.code === 0 ? parseLedger(sight.ledger.stdout, ctx.host.name) : []
  return {
    ...sight,
    etcdData: answers[names.length] as FileState,
    missingModules: new Set(missing),
    owned: ledger.map(({ kind, id }) => `${kind} ${id}`),
  }
}

/** Whether kubexm has put something on the host whose name fits. */
export const isOurs = ({ owned }: Sight, name: RegExp): boolean => owned.some((thing) => name.test(thing))

/** Whether kubexm may change the operating system: then what it repairs is a warning, else an error. */
export const mayRepair = ({ cluster }: StepContext): boolean => !cluster.spec.system.skipConfigureOS
