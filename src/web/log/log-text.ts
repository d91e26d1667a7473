import type { NodeState } from '../../event/event.ts'
import type { EventJson, ShortError } from '../api/types.ts'
import { isMessage, type Say } from '../i18n/text.ts'

export const levels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof levels)[number]

const troubled: ReadonlySet<string> = new Set<NodeState>(['failed', 'rollback-failed'])
const stopped: ReadonlySet<string> = new Set<NodeState>(['blocked', 'cancelled', 'rolled-back'])

/** How loud an event is. */
export function levelOf(event: EventJson): LogLevel {
  switch (event.type) {
    case 'step.line':
    case 'step.started':
      return 'debug'
    case 'note':
      return event.level ?? 'info'
    case 'finding':
      return event.finding?.severity === 'error' ? 'error' : 'warn'
    case 'step.retrying':
    case 'pipeline.cancelling':
      return 'warn'
    case 'host.lost':
      return 'error'
    default:
      if (troubled.has(event.outcome ?? '')) return 'error'
      return stopped.has(event.outcome ?? '') ? 'warn' : 'info'
  }
}

/** An event in words. */
export function lineOf(event: EventJson, say: Say, errorText: (error: ShortError) => ShortError): string {
  const title = event.title ?? event.step ?? ''
  const why = event.error === undefined ? '' : errorText(event.error).problem
  switch (event.type) {
    case 'step.line':
      return event.line ?? ''
    case 'note':
      return event.message ?? ''
    case 'result':
      return `${resultLabel(event.label ?? '', say)}: ${event.text ?? ''}`
    case 'finding':
      return event.finding === undefined ? '' : problemText(errorText(event.finding))
    case 'pipeline.started':
      return say('log.pipelineStarted', outlineOf(event))
    case 'pipeline.finished':
      return say('log.pipelineFinished', { outcome: outcomeText(event.outcome, say) })
    case 'pipeline.cancelling':
      return say('log.cancelling', { reason: event.reason ?? '' })
    case 'task.finished':
      return say('log.taskFinished', { title, outcome: outcomeText(event.outcome, say) })
    case 'step.started':
      return title
    case 'step.retrying':
      return say('log.retrying', { title, attempt: event.attempt ?? 1, why })
    case 'host.lost':
      return say('log.hostLost', { why })
    case 'step.finished':
      return finishedText(event, say('log.stepFinished', { title, outcome: outcomeText(event.outcome, say) }), errorText)
    default:
      return event.type
  }
}

/** What a result is about, in words; a label we do not know keeps its own. */
export function resultLabel(label: string, say: Say): string {
  const key = `result.${label}`
  return isMessage(key) ? say(key) : label
}

const problemText = ({ code, problem }: ShortError): string => `${code} ${problem}`

function finishedText(event: EventJson, said: string, errorText: (error: ShortError) => ShortError): string {
  if (event.error !== undefined) return `${said}: ${problemText(errorText(event.error))}`
  const changes = (event.changes ?? []).map(({ does }) => does).join(', ')
  return changes === '' ? said : `${said} (${changes})`
}

function outcomeText(outcome: string | undefined, say: Say): string {
  const key = `${outcome === 'success' ? 'outcome' : 'state'}.${outcome}`
  return isMessage(key) ? say(key) : (outcome ?? '')
}

function outlineOf(event: EventJson): { readonly nodes: number; readonly hosts: number } {
  const { outline } = event
  return { nodes: outline?.nodes ?? 0, hosts: outline?.hosts.filter((host) => host !== 'local').length ?? 0 }
}
