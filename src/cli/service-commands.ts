import type { Command } from 'commander'
import { parseDuration } from '../util/duration.ts'
import { examples } from './cluster-commands.ts'
import { wholeNumber } from './cluster-options.ts'
import type { ApiFlags, WorkerFlags } from './service-options.ts'
import { duration } from './token-commands.ts'

const withPlace = (command: Command): Command =>
  command.option('--directory <directory>', 'where .kubexm is kept: journals, certificates, and the embedded job database', process.cwd())

const withWorker = (command: Command): Command =>
  command
    .option('--concurrency <n>', 'how many jobs at once; those of one cluster never run side by side', wholeNumber, 4)
    .option('--retention <duration>', 'remove jobs that ended longer ago than this', duration, parseDuration('90d') ?? 0)
    .option('--adopt', 'also take jobs of clusters whose work directory is another one: for when that is lost', false)

const withApi = (command: Command): Command =>
  command
    .option('--listen <address>', 'address and port; any but loopback needs TLS and a token', '127.0.0.1:8420')
    .option('--tls-cert <file>', 'certificate of the server, PEM')
    .option('--tls-key <file>', 'key of the certificate, PEM')
    .option('--rate-limit <n>', 'requests a minute from one address', wholeNumber, 1200)
    .option('--trust-configs', 'let submitted configs name files, variables and the machine of the worker itself', false)
    .option('--console <directory>', 'serve the console from here')

/** `worker`. */
export function registerWorkerCommand(program: Command): void {
  withWorker(withPlace(program.command('worker')))
    .description('take jobs from the job database and run them; Ctrl-C hands them back')
    .option('--metrics-port <port>', 'serve Prometheus metrics on loopback', wholeNumber)
    .addHelpText('after', examples('worker', 'worker --concurrency 8 --directory /var/lib/kubexm'))
    .action(async (flags: WorkerFlags) => {
      process.exitCode = await (await import('./services.ts')).work(flags)
    })
}

/** `api-server`. */
export function registerApiServerCommand(program: Command): void {
  withApi(withPlace(program.command('api-server')))
    .description('answer HTTP: submit jobs, follow them, look at clusters; a worker runs the jobs')
    .addHelpText('after', examples('api-server', 'api-server --listen 0.0.0.0:8420 --tls-cert tls.crt --tls-key tls.key'))
    .action(async (flags: ApiFlags) => {
      process.exitCode = await (await import('./services.ts')).answer(flags)
    })
}

/** `serve`. */
export function registerServeCommand(program: Command): void {
  withApi(withWorker(withPlace(program.command('serve'))))
    .description('run API server, worker and console in one process')
    .addHelpText('after', examples('serve', 'serve --listen 0.0.0.0:8420 --tls-cert tls.crt --tls-key tls.key'))
    .action(async (flags: ApiFlags & WorkerFlags) => {
      process.exitCode = await (await import('./services.ts')).serve(flags)
    })
}
