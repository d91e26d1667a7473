import { startServer } from '../api/index.ts'
import { countJobs, createToken, hasTokens, type Jobs, openJobs, revokeToken } from '../app/jobs/index.ts'
import { createServiceMetrics, type ServiceMetrics, serveMetrics } from '../sink/index.ts'
import { runWorker, type WorkerNews } from '../worker/index.ts'
import { findConsole } from './console.ts'
import type { ApiFlags, ServiceOptions, WorkerFlags } from './service-options.ts'

const say = (text: string): void => void process.stderr.write(`${new Date().toISOString()} ${text}\n`)

/** `kubexm worker`. */
export const work = (flags: WorkerFlags): Promise<number> =>
  inService(flags, async (jobs, metrics, stop) => {
    await using _ = flags.metricsPort === undefined ? null : await serveMetrics(metrics, flags.metricsPort)
    say(`worker ${jobs.worker} takes up to ${flags.concurrency} jobs at once`)
    await worker(jobs, metrics, flags, stop)
  })

/** `kubexm api-server`. */
export const answer = (flags: ApiFlags): Promise<number> =>
  inService(flags, async (jobs, metrics, stop) => {
    await using server = await api(jobs, metrics, flags)
    say(`listening on ${server.url}`)
    if (!(await hasTokens(jobs.database))) say('there is no token yet: make one with kubexm token create --name NAME --role admin')
    await aborted(stop)
  })

/** `kubexm serve`. */
export const serve = (flags: ApiFlags & WorkerFlags): Promise<number> =>
  inService(flags, async (jobs, metrics, stop) => {
    const first = (await hasTokens(jobs.database))
      ? null
      : await createToken(jobs.database, { name: 'first', role: 'admin', lifetime: null })
    await using server = await api(jobs, metrics, flags).catch(async (error) => {
      // Nobody has seen it: the next start must make another.
      if (first !== null) await revokeToken(jobs.database, first.id)
      throw error
    })
    say(`listening on ${server.url}`)
    // On standard output, alone: a script can take it from there.
    if (first !== null) process.stdout.write(`${first.value}\n`)
    if (first !== null) say('the line above is the token to sign in with; it is shown this once')
    await worker(jobs, metrics, flags, stop)
  })

/** Opens the job database and waits for the signal to stop; a second one leaves at once. */
async function inService(
  { directory }: ServiceOptions,
  run: (jobs: Jobs, metrics: ServiceMetrics, stop: AbortSignal) => Promise<void>,
): Promise<number> {
  const stop = new AbortController()
  const onSignal = (): void => {
    if (stop.signal.aborted) process.exit(130)
    say('stopping; once more to leave at once')
    stop.abort(new Error('told to stop'))
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  await using jobs = await openJobs({ directory })
  await run(jobs, await createServiceMetrics(() => countJobs(jobs.database)), stop.signal)
  return 0
}

const worker = (jobs: Jobs, metrics: ServiceMetrics, { concurrency, retention, adopt }: WorkerFlags, stop: AbortSignal): Promise<void> =>
  runWorker(jobs, { concurrency, retention, adopt, stop, sinks: [metrics.sink], tell: (news) => say(newsText(news)) })

function newsText(news: WorkerNews): string {
  if (news.type === 'trouble') return `${news.error.code} ${news.error.message}`
  const { id, cluster, pipeline, attempt } = news.claim.job
  const job = `job ${id} (${pipeline} ${cluster})`
  if (news.type === 'claimed') return `${job}: ${attempt > 1 ? `attempt ${attempt}` : 'begun'}`
  return news.type === 'ended' ? `${job}: ${news.outcome}` : `${job}: ${news.error.code} ${news.error.message}`
}

const api = async (jobs: Jobs, metrics: ServiceMetrics, flags: ApiFlags) =>
  startServer({
    jobs,
    metrics,
    listen: flags.listen,
    ...(flags.tlsCert === undefined ? {} : { tlsCert: flags.tlsCert }),
    ...(flags.tlsKey === undefined ? {} : { tlsKey: flags.tlsKey }),
    rateLimit: flags.rateLimit,
    trustConfigs: flags.trustConfigs,
    console: await findConsole(flags.console, say),
    // Whoever sits before it wants to see what the worker does, not every look of the console.
    log: { stream: process.stderr, level: process.stderr.isTTY ? 'warn' : 'info' },
  })

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
