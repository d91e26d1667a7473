import type { KubexmError } from '../error/index.ts'
import type { Level, NodeState, RunEvent, Sink } from '../event/index.ts'
import { guarded, type Output } from './output.ts'

const rank: Readonly<Record<Level, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** A log line: exactly these keys, always all of them, null where an event does not know. */
interface LogLine {
  readonly timestamp: string
  readonly level: Level
  readonly pipeline_id: string
  readonly module: string | null
  readonly task: string | null
  readonly step: string | null
  readonly node: string | null
  readonly message: string
  readonly duration_ms: number | null
}

/** The structured log of a run: one JSON object a line, for log collectors. */
export function jsonLogSink(output: Output, options: { readonly level?: Level } = {}): Sink {
  const out = guarded(output)
  const least = rank[options.level ?? 'debug']
  return {
    name: 'the JSON log',
    accept: (event) => {
      const line = logLine(event)
      if (line !== null && rank[line.level] >= least) out.write(`${JSON.stringify(line)}\n`)
    },
    flush: () => out.flush(),
  }
}

/** The log line of an event; null for progress, of which only the end is worth a line. */
export function logLine(event: RunEvent): LogLine | null {
  const said = say(event)
  if (said === null) return null
  const [level, message] = said
  return {
    timestamp: event.at.toISOString(),
    level,
    pipeline_id: event.pipelineId,
    module: event.module ?? null,
    task: event.task ?? null,
    step: event.step ?? null,
    node: event.host ?? null,
    message,
    duration_ms: 'ms' in event ? Math.round(event.ms) : null,
  }
}

function say(event: RunEvent): readonly [Level, string] | null {
  switch (event.type) {
    case 'pipeline.started':
      return ['info', `${event.pipeline} started: ${event.outline.nodes} steps on ${event.outline.hosts.length} hosts`]
    case 'pipeline.cancelling':
      return ['warn', `${event.pipeline} is being cancelled: ${event.reason}`]
    case 'pipeline.finished':
      return [
        event.outcome === 'success' ? 'info' : event.outcome === 'cancelled' ? 'warn' : 'error',
        `${event.pipeline}: ${event.outcome}${event.errors.map((error) => `; ${error.code} ${error.message}`).join('')}`,
      ]
    case 'task.started':
    case 'step.started':
      return ['info', `${event.title}: started`]
    case 'task.finished':
    case 'step.finished':
      return [
        levelOf(event.outcome),
        `${event.title}: ${event.outcome}${changesText(event.changes)}${event.error === undefined ? '' : `; ${errorText(event.error)}`}`,
      ]
    case 'step.retrying':
      return ['warn', `${event.title}: try ${event.attempt} failed, trying again; ${errorText(event.error)}`]
    case 'host.lost':
      return ['error', `given up, the others go on; ${errorText(event.error)}`]
    case 'step.line':
      return ['debug', event.line]
    case 'finding':
      return [
        event.finding.severity === 'error' ? 'error' : 'warn',
        `${event.finding.code} ${event.finding.problem}. Fix: ${event.finding.fix}`,
      ]
    case 'note':
      return [event.level, event.message]
    case 'result':
      return ['info', `${event.label}: ${event.text}`]
    case 'step.progress':
      return null
  }
}

function levelOf(outcome: NodeState): Level {
  if (outcome === 'failed' || outcome === 'rollback-failed') return 'error'
  return outcome === 'cancelled' || outcome === 'rolled-back' ? 'warn' : 'info'
}

const changesText = (changes: readonly { readonly does: string }[] = []): string =>
  changes.length === 0 ? '' : ` (${changes.map((change) => change.does).join('; ')})`

const errorText = (error: KubexmError): string =>
  `${error.code} ${error.message}${error.seen === null ? '' : `: ${error.seen}`}. Fix: ${error.fix}`
