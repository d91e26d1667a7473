import { useApp } from '../app/context.ts'
import { doneIn, nodeStates, type Tally } from '../run/states.ts'

/** How far many steps are, as one bar in the colours of their states. */
export function TallyBar({ tally }: { readonly tally: Tally }) {
  const { say } = useApp()
  const total = nodeStates.reduce((sum, state) => sum + tally[state], 0)
  const shown = nodeStates.filter((state) => tally[state] > 0 && state !== 'pending')
  const label = shown.map((state) => `${tally[state]} ${say(`state.${state}`)}`).join(', ')
  return (
    <div
      className="tally-bar"
      role="progressbar"
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={doneIn(tally)}
      aria-label={label}
      title={label}
    >
      {shown.map((state) => (
        <span key={state} className={`fill state-${state}`} style={{ flexGrow: tally[state] }} />
      ))}
      <span style={{ flexGrow: tally.pending }} />
    </div>
  )
}
