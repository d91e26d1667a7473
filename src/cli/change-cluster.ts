import { dryRunOperation, type PipelineName, type RunRequest, runOperation, savePlan, usualLoss } from '../app/index.ts'
import { configError, parseCluster, readConfigText } from '../config/index.ts'
import { fail } from '../error/index.ts'
import type { Sink } from '../event/index.ts'
import { createMetrics, eventRecordSink, fileOutput, jsonLogSink, jsonOutputSink, serveMetrics, terminalSink } from '../sink/index.ts'
import { type ChangeOptions, sourcesOf } from './cluster-options.ts'
import { exitCodeOf, interrupts } from './interrupts.ts'
import { agrees, askPerson } from './person.ts'
import { renderDryRun } from './render-dry-run.ts'

/** What only some changes can be asked for, and what a person is asked before it is begun. */
export interface ChangeWishes {
  readonly purgeData: boolean
  readonly mergeKubeconfig?: boolean
  readonly ask: string | null
}

/** Runs a pipeline the way the options say; gives the exit code. */
export async function changeCluster(
  pipeline: PipelineName,
  options: ChangeOptions,
  { purgeData, mergeKubeconfig = false, ask }: ChangeWishes,
): Promise<number> {
  const text = await readConfigText(options.file)
  const result = parseCluster(text, options.file)
  if (result.cluster === null) throw configError(options.file, result)
  const { cluster } = result
  const maxFailed = options.maxFailed ?? usualLoss(cluster, pipeline, options.rollbackOnFailure)
  if (maxFailed > 0 && options.rollbackOnFailure) {
    const what = '--max-failed goes on after a failure, --rollback-on-failure goes back: give one of them'
    throw fail('KX_USAGE', { what, command: pipeline.replace('-', ' ') })
  }
  const signals = interrupts()
  const request: Omit<RunRequest, 'sinks'> = {
    cluster,
    pipeline,
    directory: options.directory,
    rehearse: options.rehearse,
    only: options.limit,
    until: options.until ?? null,
    maxFailed,
    sources: sourcesOf(options),
    ask: askPerson,
    cancel: signals.cancel,
    abandon: signals.abandon,
    resume: options.resume,
    rollbackOnFailure: options.rollbackOnFailure,
    purgeData,
    mergeKubeconfig,
    parallel: options.parallel ?? null,
    savedPlan: options.plan ?? null,
  }
  if (options.planOut !== undefined) {
    await savePlan({ ...request, sinks: [] }, options.planOut)
    process.stdout.write(`plan saved to ${options.planOut}; apply it with --plan ${options.planOut}\n`)
    return 0
  }
  if (options.dryRun) {
    const found = await dryRunOperation({ ...request, sinks: [] })
    process.stdout.write(renderDryRun(found, options.output))
    const [lost] = found.lost.values()
    return lost?.exitCode ?? (found.planned.length > 0 ? 20 : 0)
  }
  if (ask !== null && !options.yes && !options.rehearse && !(await agrees(ask))) {
    throw fail(
      'KX_USAGE',
      { what: 'nothing was done: this needs your consent', command: pipeline.replace('-', ' ') },
      { fix: 'answer yes at the terminal, or give --yes' },
    )
  }
  const change = { request, text, options }
  if (options.detach || options.server !== undefined) return (await import('./recorded-run.ts')).submitChange(change)
  const { sinks, close } = await sinksFor(options, pipeline)
  try {
    // A rehearsal leaves no trace, so there is no job of it either.
    const report = options.rehearse
      ? await runOperation({ ...request, sinks })
      : await (await import('./recorded-run.ts')).runRecorded(change, sinks)
    return exitCodeOf(report)
  } finally {
    await close()
  }
}

async function sinksFor(
  options: ChangeOptions,
  pipeline: PipelineName,
): Promise<{ readonly sinks: readonly Sink[]; readonly close: () => Promise<void> }> {
  const sources = Object.entries(sourcesOf(options)).map(
    ([name, value]) => ` --${name === 'registryMirror' ? 'registry-mirror' : name} ${value}`,
  )
  const resumeCommand = `kubexm ${pipeline.replace('-', ' ')} -f ${options.file}${sources.join('')} --resume`
  const sinks: Sink[] = [
    options.output === 'json'
      ? jsonOutputSink(process.stdout)
      : terminalSink({ stream: process.stdout, verbose: options.verbose, resumeCommand }),
  ]
  if (options.logFile !== undefined) sinks.push(jsonLogSink(fileOutput(options.logFile)))
  if (options.eventFile !== undefined) sinks.push(eventRecordSink(options.eventFile))
  if (options.metricsPort === undefined && options.metricsTextfile === undefined) return { sinks, close: async () => {} }
  const metrics = await createMetrics(options.metricsTextfile === undefined ? {} : { textfile: options.metricsTextfile })
  sinks.push(metrics.sink)
  const server = options.metricsPort === undefined ? null : await serveMetrics(metrics, options.metricsPort)
  return { sinks, close: async () => void (await server?.[Symbol.asyncDispose]()) }
}
