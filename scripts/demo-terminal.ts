// A made-up run on the terminal, to look at the live view: node scripts/demo-terminal.ts --hosts 300 --fail 0.02 --speed 5

import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { fail, type KubexmError } from '../src/error/index.ts'
import { EventBus, type Outline, type RunEvent } from '../src/event/index.ts'
import { terminalSink } from '../src/sink/index.ts'

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '3' },
    fail: { type: 'string', default: '0' },
    speed: { type: 'string', default: '4' },
    verbose: { type: 'boolean', default: false },
  },
})
const hosts = Array.from({ length: Number(values.hosts) }, (_, i) => `node${i + 1}`)
const speed = Number(values.speed)
const atOnce = 40

/** Module, its tasks, and for each step its title and seconds. */
type Steps = Readonly<Record<string, number>>
const modules: Readonly<Record<string, Readonly<Record<string, Steps>>>> = {
  preflight: { 'preflight.check': { 'Check the kernel': 0.4, 'Check that swap is off': 0.3, 'Check free ports': 0.6 } },
  node: {
    'os.tune': { 'Turn swap off': 0.5, 'Load kernel modules': 0.7, 'Set kernel parameters': 0.6 },
    'os.hosts-file': { 'Write the managed block of /etc/hosts': 0.4 },
    'os.time-sync': { 'Install chrony': 4, 'Start chrony': 0.8 },
  },
  runtime: {
    'containerd.install': { 'Upload containerd 2.1.4': 5, 'Write /etc/containerd/config.toml': 0.5, 'Start containerd': 2 },
    'containerd.images': { 'Import 12 images': 12 },
  },
  etcd: { 'etcd.install': { 'Upload etcd 3.5.21': 3, 'Write etcd.service': 0.4, 'Start etcd': 3, 'Wait for a healthy member': 5 } },
  'control-plane': { 'kubeadm.init': { 'Write kubeadm.yaml': 0.5, 'Start the control plane': 14, 'Wait for the API server': 9 } },
  worker: { 'kubeadm.join': { 'Join the node': 7, 'Wait for the node to be ready': 6 } },
  network: { 'calico.apply': { 'Apply the calico manifest': 2, 'Wait for calico on every node': 8 } },
}

const where = { pipelineId: 'run-7f3a', pipeline: 'create-cluster' }
const stop = new AbortController()
const bus = new EventBus([
  terminalSink({ stream: process.stdout, verbose: values.verbose, resumeCommand: 'kubexm create cluster -f cluster.yaml --resume' }),
])
const errors: KubexmError[] = []
type Told = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'at' | 'pipeline' | 'pipelineId'> : never) : never
const tell = (event: Told): void => bus.emit({ ...where, at: new Date(), ...event } as RunEvent)

async function runHost(module: string, task: string, steps: Steps, host: string): Promise<void> {
  for (const [title, seconds] of Object.entries(steps)) {
    if (stop.signal.aborted) return
    const step = `${module}.${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
    const place = { module, task, step, host, node: `${task}/${step}@${host}`, title }
    const ms = (seconds * 1000 * (0.6 + Math.random())) / speed
    tell({ ...place, type: 'step.started' })
    const begun = Date.now()
    for (let i = 1; i <= 5; i++) {
      await sleep(ms / 5)
      if (title.startsWith('Upload')) tell({ ...place, type: 'step.progress', done: i * 20 * 2 ** 20, total: 100 * 2 ** 20, unit: 'bytes' })
      else tell({ ...place, type: 'step.line', stream: 'stdout', line: `${title.toLowerCase()}: part ${i} of 5 done` })
    }
    if (title.includes('swap is off'))
      tell({
        ...place,
        type: 'finding',
        finding: { severity: 'warning', code: 'KX_SWAP_ON', problem: 'swap is on', fix: 'nothing to do: kubexm turns it off' },
      })
    const failed = module === 'etcd' && Math.random() < Number(values.fail)
    const outcome = failed ? 'failed' : stop.signal.aborted ? 'cancelled' : Math.random() < 0.3 ? 'satisfied' : 'succeeded'
    const error = failed
      ? fail(
          'KX_STEP_FAILED',
          { title, why: '"systemctl start etcd" ended with 1' },
          {
            where: { ...where, module, task, step, host },
            seen: 'Job for etcd.service failed because a timeout was exceeded.\nSee "journalctl -xeu etcd.service" for details.',
          },
        )
      : null
    tell({ ...place, type: 'step.finished', outcome, ms: Date.now() - begun, ...(error === null ? {} : { error }) })
    if (error === null) continue
    errors.push(error)
    stop.abort()
  }
}

async function runTask(module: string, task: string, steps: Steps): Promise<void> {
  if (stop.signal.aborted) return
  tell({ module, task, type: 'task.started', title: task })
  const begun = Date.now()
  const left = [...hosts]
  const lane = async (): Promise<void> => {
    for (let host = left.shift(); host !== undefined && !stop.signal.aborted; host = left.shift()) await runHost(module, task, steps, host)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  tell({
    module,
    task,
    type: 'task.finished',
    title: task,
    outcome: errors.length > 0 ? 'failed' : stop.signal.aborted ? 'cancelled' : 'succeeded',
    ms: Date.now() - begun,
  })
}

process.once('SIGINT', () => {
  tell({ type: 'pipeline.cancelling', reason: 'Ctrl-C' })
  stop.abort()
})

const outline: Outline = {
  nodes: hosts.length * Object.values(modules).flatMap((tasks) => Object.values(tasks).flatMap((steps) => Object.keys(steps))).length,
  hosts,
  modules: Object.entries(modules).map(([name, tasks]) => ({
    name,
    tasks: Object.entries(tasks).map(([task, steps]) => ({ name: task, steps: Object.keys(steps).length * hosts.length })),
  })),
  criticalPath: Object.entries(modules).flatMap(([module, tasks]) =>
    Object.entries(tasks).flatMap(([task, steps]) =>
      Object.keys(steps).map((title) => `${task}/${module}.${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}@node1`),
    ),
  ),
}
const begun = Date.now()
tell({ type: 'pipeline.started', outline })
const run = (module: string): Promise<unknown> =>
  Promise.all(Object.entries(modules[module] ?? {}).map(([task, steps]) => runTask(module, task, steps)))
await run('preflight')
await run('node')
await Promise.all([run('runtime'), run('etcd')])
for (const module of ['control-plane', 'worker', 'network']) await run(module)
tell({
  type: 'pipeline.finished',
  outcome: errors.length > 0 ? 'failed' : stop.signal.aborted ? 'cancelled' : 'success',
  ms: Date.now() - begun,
  errors,
})
await bus.flush()
