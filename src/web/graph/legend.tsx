import { useApp } from '../app/context.ts'
import { StateMark } from '../parts/status.tsx'
import { nodeStates, type Tally } from '../run/states.ts'

/** What the colours and icons mean, and how many steps are in each state. */
export function Legend({ tally, critical }: { readonly tally: Tally; readonly critical: boolean }) {
  const { say } = useApp()
  return (
    <ul className="legend">
      {nodeStates
        .filter((state) => tally[state] > 0)
        .map((state) => (
          <li key={state}>
            <StateMark state={state} /> <b>{tally[state]}</b>
          </li>
        ))}
      {critical ? (
        <li>
          <span className="critical-swatch" /> {say('graph.critical')}
        </li>
      ) : null}
    </ul>
  )
}
