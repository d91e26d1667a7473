import { type Command, type CommandState, hostPaths, sh } from '../../runner/index.ts'
import { defineOp, type Kind, type Op } from '../op.ts'
import { cleanScript, lookScript } from './traces-script.ts'

/** Where a node's programs keep what leaves traces. */
type NodePlaces = {
  /** The directory of the kubelet, below which volumes of pods are mounted. */
  readonly kubelet: string
  /** The state directory of the container runtime, below which the roots of containers are mounted. */
  readonly runtime: string
  /** The addresses of pods: routes to them are made by network plugins that need no interface of their own. */
  readonly podRanges: readonly string[]
}

type TracesBefore = NodePlaces & {
  /** What was there before, one trace a line: it stays. */
  readonly lines: readonly string[]
}

/** Stands for having looked: what is found after it is ours. */
const mark = `${hostPaths.root}/node-traces`

/** The directory of the kubelet is the id: it is all that looking needs. */
const look = (kubelet: string): Command => sh`sh -c ${lookScript} kubexm-traces-look ${kubelet} ${mark}`

const linesOf = ({ stdout }: CommandState): readonly string[] => stdout.split('\n').filter((line) => line !== '')

/** What may stay: a kernel parameter can be fixed, a table of iptables can hold rules of others by now, ipvs may have no tool to clear it. */
const mayStay = (line: string): boolean => /^(sysctl |virtual-servers$|table ip6? (filter|nat|mangle|raw|security)$)/.test(line)

const tracesKind: Kind<TracesBefore> = {
  name: 'node-traces',
  probe: (kubelet) => ({ kind: 'command', command: look(kubelet) }),
  undo: async (on, _id, { kubelet, runtime, podRanges, lines }) => {
    await on.run(sh`sh -c ${cleanScript} kubexm-traces-clean ${kubelet} ${runtime} ${podRanges.join(' ')}`, {
      stdin: `${lines.join('\n')}\n`,
    })
    await on.files.remove(mark)
  },
  isBack: ({ lines }, now) => linesOf(now as CommandState).every((line) => mayStay(line) || lines.includes(line)),
  isLeft: (before, now) => !tracesKind.isBack(before, now),
}

/**
 * Looks what of the traces that a node of Kubernetes leaves is there already. Undone once the kubelet has stopped, it ends the pods
 * that are left and takes away what has come since: mounts, interfaces, rules of the packet filter, cgroups. What is not ours stays.
 */
export function noteTraces(places: NodePlaces): Op {
  return defineOp({
    kind: tracesKind,
    id: places.kubelet,
    does: 'note what is on the node before Kubernetes comes',
    probe: { kind: 'command', command: look(places.kubelet) },
    isDone: (state) => linesOf(state).includes('marked'),
    capture: (state) => ({ ...places, lines: linesOf(state).filter((line) => line !== 'marked') }),
    apply: (on) => on.files.write(mark, '', { mode: '0600' }),
  })
}

export const traceKinds: readonly Kind<never>[] = [tracesKind]
