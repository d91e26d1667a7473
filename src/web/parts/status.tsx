import type { NodeState } from '../../event/event.ts'
import type { Job } from '../api/types.ts'
import { useApp } from '../app/context.ts'
import { Icon } from './icon.tsx'
import { stateIcons, statusStates } from './icons.ts'

/** The state of a node: icon, colour and word. */
export function StateMark({ state, quiet = false }: { readonly state: NodeState; readonly quiet?: boolean }) {
  const { say } = useApp()
  const word = say(`state.${state}`)
  return (
    <span className={`mark state-${state}`} title={word}>
      <Icon name={stateIcons[state]} />
      {quiet ? <span className="hidden">{word}</span> : word}
    </span>
  )
}

/** The status of a job: icon, colour and word. */
export function JobMark({ job }: { readonly job: Pick<Job, 'status' | 'cancel_requested'> }) {
  const { say } = useApp()
  const cancelling = job.status === 'Processing' && job.cancel_requested
  const state = cancelling ? 'cancelled' : statusStates[job.status]
  return (
    <span className={`mark state-${state}`} data-status={job.status}>
      <Icon name={stateIcons[state]} />
      {say(cancelling ? 'status.cancelling' : `status.${job.status}`)}
    </span>
  )
}
