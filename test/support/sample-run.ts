import { fail, type KubexmError } from '../../src/error/index.ts'
import type { NodeState, Outcome, Outline, RunEvent } from '../../src/event/index.ts'
import { type Millis, seconds } from '../../src/util/time.ts'

const where = { pipelineId: 'run-7f3a', pipeline: 'create-cluster' }

/** The events of a made-up run, second by second: for looking at what sinks make of them. */
export class SampleRun {
  readonly events: RunEvent[] = []
  readonly #start: Millis = Date.UTC(2026, 0, 2, 3, 4, 5)
  readonly #begun = new Map<string, Millis>()
  readonly errors: KubexmError[] = []
  now: Millis = this.#start

  constructor(hosts: readonly string[]) {
    const tasks = (steps: Readonly<Record<string, number>>) => Object.entries(steps).map(([name, n]) => ({ name, steps: n * hosts.length }))
    const outline: Outline = {
      nodes: 8 * hosts.length,
      hosts: [...hosts, 'local'],
      modules: [
        { name: 'preflight', tasks: tasks({ 'preflight.check': 1 }) },
        { name: 'runtime', tasks: tasks({ 'containerd.install': 2, 'containerd.images': 1 }) },
        { name: 'etcd', tasks: tasks({ 'etcd.install': 2 }) },
        { name: 'control-plane', tasks: tasks({ 'kubeadm.init': 1 }) },
        { name: 'network', tasks: tasks({ 'calico.apply': 1 }) },
      ],
      criticalPath: [
        'preflight.check/preflight.swap@node1',
        'etcd.install/etcd.start@node1',
        'kubeadm.init/kubeadm.init@node1',
        'calico.apply/calico.ready@node1',
      ],
    }
    this.tell({ type: 'pipeline.started', outline })
  }

  /** Lets time pass. */
  wait(s: number): this {
    this.now += seconds(s)
    return this
  }

  begin(task: string, ...steps: readonly (readonly [step: string, title: string, host: string])[]): this {
    const module = moduleOf(task)
    if (!this.#begun.has(task)) this.tell({ module, task, type: 'task.started', title: task })
    this.#begun.set(task, this.#begun.get(task) ?? this.now)
    for (const [step, title, host] of steps) {
      const node = `${task}/${step}@${host}`
      this.#begun.set(node, this.now)
      this.tell({ module, task, step, host, node, title, type: 'step.started' })
    }
    return this
  }

  end(task: string, step: string, title: string, host: string, outcome: NodeState = 'succeeded'): this {
    const node = `${task}/${step}@${host}`
    const place = { module: moduleOf(task), task, step, host }
    const seen = 'Job for etcd.service failed because a timeout was exceeded.\nSee "journalctl -xeu etcd.service" for details.'
    const error =
      outcome === 'failed'
        ? fail('KX_STEP_FAILED', { title, why: `"systemctl start ${step}" ended with 1` }, { where: { ...where, ...place }, seen })
        : null
    if (error !== null) this.errors.push(error)
    const ms = this.now - (this.#begun.get(node) ?? this.now)
    this.tell({ ...place, node, title, type: 'step.finished', outcome, ms, ...(error === null ? {} : { error }) })
    return this
  }

  endTask(task: string, outcome: NodeState = 'succeeded'): this {
    this.tell({
      module: moduleOf(task),
      task,
      title: task,
      type: 'task.finished',
      outcome,
      ms: this.now - (this.#begun.get(task) ?? this.now),
    })
    return this
  }

  finish(outcome: Outcome): this {
    this.tell({ type: 'pipeline.finished', outcome, ms: this.now - this.#start, errors: this.errors })
    return this
  }

  tell(event: Told): this {
    this.events.push({ ...where, at: new Date(this.now), ...event } as RunEvent)
    return this
  }
}

type Told = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'at' | 'pipeline' | 'pipelineId'> : never) : never

const moduleOf = (task: string): string =>
  ({ containerd: 'runtime', kubeadm: 'control-plane', calico: 'network' })[task.split('.')[0] ?? ''] ?? task.split('.')[0] ?? ''

/** A run on so many hosts that stands in its middle: one module done, two at work, two to come. */
export function halfWay(hostCount: number): SampleRun {
  const hosts = Array.from({ length: hostCount }, (_, i) => `node${i + 1}`)
  const run = new SampleRun(hosts)
  const all = (step: string, title: string) => hosts.map((host) => [step, title, host] as const)
  run.begin('preflight.check', ...all('preflight.swap', 'Check that swap is off')).wait(2)
  for (const host of hosts) {
    const finding = { severity: 'warning', code: 'KX_SWAP_ON', problem: 'swap is on', fix: 'nothing to do: kubexm turns it off' } as const
    run.tell({ module: 'preflight', task: 'preflight.check', step: 'preflight.swap', host, type: 'finding', finding })
    run.end('preflight.check', 'preflight.swap', 'Check that swap is off', host, 'satisfied')
  }
  run
    .endTask('preflight.check')
    .begin('containerd.install', ...all('containerd.upload', 'Upload containerd 2.1.4'))
    .begin('etcd.install', ...all('etcd.upload', 'Upload etcd 3.5.21'))
    .wait(30)
  const quick = hosts.slice(0, Math.ceil((hostCount * 2) / 3))
  for (const host of quick) {
    run.end('etcd.install', 'etcd.upload', 'Upload etcd 3.5.21', host).begin('etcd.install', ['etcd.start', 'Start etcd', host])
    run.end('containerd.install', 'containerd.upload', 'Upload containerd 2.1.4', host, 'satisfied')
  }
  for (const host of hosts.slice(quick.length)) {
    const place = { module: 'etcd', task: 'etcd.install', step: 'etcd.upload', host }
    run.tell({ ...place, type: 'step.progress', done: 20 * 2 ** 20, total: 50 * 2 ** 20, unit: 'bytes' })
    run.tell({ ...place, type: 'step.line', stream: 'stdout', line: 'etcd-v3.5.21-linux-amd64/etcdctl' })
  }
  return run.wait(5)
}
