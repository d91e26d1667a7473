import { dryRunOperation, type PipelineName, planOperation, type RunRequest, runOperation, savePlan } from '../app/index.ts'
import { loadCluster } from '../config/index.ts'
import { fail } from '../error/index.ts'
import type { Sink } from '../event/index.ts'
import { createMetrics, eventRecordSink, fileOutput, jsonLogSink, jsonOutputSink, serveMetrics, terminalSink } from '../sink/index.ts'
import type { ChangeOptions } from './cluster-options.ts'
import { agrees, askPerson } from './person.ts'
import { renderDryRun } from './render-dry-run.ts'

/** Runs a pipeline the way the options say; gives the exit code. */
export async function changeCluster(
  pipeline: PipelineName,
  options: ChangeOptions,
  { purgeData, ask }: { readonly purgeData: boolean; readonly ask: string | null },
): Promise<number> {
  const cluster = await loadCluster(options.file)
  const signals = interrupts()
  const request: Omit<RunRequest, 'sinks'> = {
    cluster,
    pipeline,
    directory: options.directory,
    rehearse: options.rehearse,
    only: options.limit,
    ask: askPerson,
    cancel: signals.cancel,
    abandon: signals.abandon,
    resume: options.resume,
    rollbackOnFailure: options.rollbackOnFailure,
    purgeData,
    parallel: options.parallel ?? null,
    savedPlan: options.plan ?? null,
  }
  if (options.planOut !== undefined) {
    await savePlan(await planOperation({ ...request, sinks: [] }), options.planOut)
    process.stdout.write(`plan saved to ${options.planOut}; apply it with --plan ${options.planOut}\n`)
    return 0
  }
  if (options.dryRun) {
    const found = await dryRunOperation({ ...request, sinks: [] })
    process.stdout.write(renderDryRun(found, options.output))
    return found.planned.length > 0 ? 20 : 0
  }
  if (ask !== null && !options.yes && !options.rehearse && !(await agrees(ask))) {
    throw fail(
      'KX_USAGE',
      { what: 'nothing was done: this needs your consent', command: pipeline.replace('-', ' ') },
      { fix: 'answer yes at the terminal, or give --yes' },
    )
  }
  const { sinks, close } = await sinksFor(options, pipeline)
  try {
    const report = await runOperation({ ...request, sinks })
    if (report.outcome === 'success') return 0
    if (report.outcome === 'cancelled') return 130
    // A failed rollback is worse than what caused it.
    return Math.max(...report.errors.map((error) => error.exitCode).filter((code) => code === 14), report.errors[0]?.exitCode ?? 13)
  } finally {
    await close()
  }
}

async function sinksFor(
  options: ChangeOptions,
  pipeline: PipelineName,
): Promise<{ readonly sinks: readonly Sink[]; readonly close: () => Promise<void> }> {
  const resumeCommand = `kubexm ${pipeline.replace('-', ' ')} -f ${options.file} --resume`
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

/** Ctrl-C once cancels, twice leaves everything as it is. */
function interrupts(): { readonly cancel: AbortSignal; readonly abandon: AbortSignal } {
  const cancel = new AbortController()
  const abandon = new AbortController()
  const onSignal = (): void => {
    if (cancel.signal.aborted) {
      abandon.abort(new Error('abandoned by the user'))
      // Whatever still hangs is not waited for: the journal is consistent at every moment.
      setTimeout(() => process.exit(130), 1000).unref()
    } else cancel.abort(new Error('cancelled by the user'))
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return { cancel: cancel.signal, abandon: abandon.signal }
}
