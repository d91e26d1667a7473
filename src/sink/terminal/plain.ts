import type { RunEvent } from '../../event/index.ts'
import { formatMillis, type Millis } from '../../util/time.ts'
import type { Style } from '../style.ts'
import { harmless } from '../text.ts'
import { type RunView, taskOf } from './state.ts'
import { tallyText } from './tally.ts'
import { count, hostCount } from './words.ts'

/** The lines a log file or a pipe gets besides the permanent ones: one when a task begins, one when it ends. */
export function plainLines(event: RunEvent, view: RunView, style: Style): readonly string[] {
  const { icons } = style
  const since = sinceStart(event.at.getTime() - view.startedAt)
  switch (event.type) {
    case 'pipeline.started':
      return [`${since} ${icons.start} ${event.pipeline}: ${count(view.total, 'step')} on ${hostCount(view)} (${event.pipelineId})`]
    case 'task.started':
      return [`${since} ${icons.start} ${nameOf(event)}`]
    case 'task.finished': {
      const tally = taskOf(view, event)?.tally
      const text = tally === undefined ? '' : tallyText(tally, style)
      return [
        `${since} ${signOf(event.outcome, style)} ${nameOf(event)}  ${[text, formatMillis(event.ms)].filter((part) => part !== '').join(', ')}`,
      ]
    }
    case 'step.retrying':
      return [
        `${since} ${icons.retry} ${event.host} ${nameOf(event)}: ${harmless(event.title)}, try ${event.attempt} failed: ${harmless(event.error.message)}`,
      ]
    case 'host.lost':
      return [`${since} ${icons.warning} going on without ${event.host}`]
    case 'pipeline.cancelling':
      return [`${since} ${icons.warning} stopping: ${count(view.running.size, 'step')} still running`]
    default:
      return []
  }
}

const nameOf = (event: RunEvent): string => [event.module, event.task].filter((part) => part !== undefined && part !== '').join('/')

function signOf(outcome: string, { icons }: Style): string {
  if (outcome === 'failed' || outcome === 'rollback-failed') return icons.failed
  return outcome === 'cancelled' || outcome === 'blocked' ? icons.skipped : icons.done
}

/** `02:05`: minutes and seconds, the same width on every line of an ordinary run. */
function sinceStart(ms: Millis): string {
  const total = Math.max(0, Math.floor(ms / 1000))
  return `${String(Math.floor(total / 60)).padStart(2, '0')}:${String(total % 60).padStart(2, '0')}`
}
