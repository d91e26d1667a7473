import type { Say } from '../i18n/text.ts'
import type { Run } from '../run/run.ts'
import { stateOf } from '../run/states.ts'
import type { Target } from './hit.ts'

/** A target in words, for tips and for those who do not see the picture. */
export function nameOf(run: Run, target: Target, say: Say): string {
  if (target.kind === 'module') return run.model.modules[target.index]?.name ?? ''
  if (target.kind === 'task') return `${run.model.tasks[target.index]?.name ?? ''} · ${say(`state.${stateOf(run.tallyOf(target.index))}`)}`
  const node = run.model.nodes[target.index]
  return node === undefined ? '' : `${node.title || node.step} · ${node.host} · ${say(`state.${run.states[target.index] ?? 'pending'}`)}`
}
