import { removePath } from '../files.ts'
import { type ProgramModel, type ProgramTable, says } from '../program.ts'
import type { HostState } from '../state.ts'
import { entryAt } from '../tree.ts'

/** What a node of Kubernetes leaves, one trace a line, as the script prints it. */
const tracesOf = (state: HostState, kubelet: string): readonly string[] => [
  ...state.traces,
  ...[...state.mounts.keys()].filter((path) => path.startsWith(`${kubelet}/`)).map((path) => `mount ${path}`),
  ...(entryAt(state.root, '/run/flannel') === null ? [] : ['directory /run/flannel']),
]

/** `kubexm-traces-look KUBELET MARK`: what is there now. */
const look: ProgramModel = ([, kubelet = '', mark = ''], { state }) =>
  says([...(entryAt(state.root, mark) === null ? [] : ['marked']), ...tracesOf(state, kubelet)].map((line) => `${line}\n`).join(''))

/** `kubexm-traces-clean KUBELET RUNTIME`: takes away what is not in the input. */
const clean: ProgramModel = ([, kubelet = ''], ctx) => {
  const kept = new Set(ctx.stdin.split('\n'))
  const gone = tracesOf(ctx.state, kubelet).filter((line) => !kept.has(line))
  const mounts = new Map([...ctx.state.mounts].filter(([path]) => !gone.includes(`mount ${path}`)))
  const traces = new Set([...ctx.state.traces].filter((trace) => !gone.includes(trace)))
  if (gone.length > 0) ctx.state = { ...ctx.state, mounts, traces }
  if (gone.includes('directory /run/flannel')) ctx.state = removePath(ctx.state, '/run/flannel', true)
  return says()
}

/** The scripts that know the traces of a node. */
export function registerTraces(table: ProgramTable): void {
  table.register('kubexm-traces-look', look).register('kubexm-traces-clean', clean)
}
