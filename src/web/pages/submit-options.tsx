import type { RunChoices } from '../api/client.ts'
import { useApp } from '../app/context.ts'

interface Props {
  readonly choices: RunChoices
  readonly onChoices: (choices: RunChoices) => void
}

/** How the job is to be run. */
export function SubmitOptions({ choices, onChoices }: Props) {
  const { say } = useApp()
  return (
    <fieldset className="options">
      <legend>{say('submit.options')}</legend>
      <label className="check">
        <input
          type="checkbox"
          checked={choices.rehearse === true}
          onChange={(event) => onChoices({ ...choices, rehearse: event.target.checked })}
        />
        {say('submit.rehearse')}
      </label>
      {choices.rehearse === true ? (
        <label className="check">
          <input
            type="checkbox"
            checked={choices.real_time === true}
            onChange={(event) => onChoices({ ...choices, real_time: event.target.checked })}
          />
          {say('submit.realTime')}
        </label>
      ) : null}
      <label className="check">
        <input
          type="checkbox"
          checked={choices.rollback_on_failure === true}
          onChange={(event) => onChoices({ ...choices, rollback_on_failure: event.target.checked })}
        />
        {say('submit.rollback')}
      </label>
      <label className="choice">
        {say('submit.parallel')}
        <input
          type="number"
          min={1}
          max={10_000}
          value={choices.parallel ?? ''}
          onChange={(event) => onChoices({ ...choices, parallel: event.target.value === '' ? undefined : event.target.valueAsNumber })}
        />
      </label>
      <label className="choice">
        {say('submit.limit')}
        <input
          type="text"
          placeholder={say('submit.limit.hint')}
          value={choices.limit_hosts ?? ''}
          onChange={(event) => onChoices({ ...choices, limit_hosts: event.target.value })}
        />
      </label>
    </fieldset>
  )
}
