import { type ExecutionFragment, seq } from '../../src/plan/index.ts'
import type { Task } from '../../src/task/index.ts'

/** Several tasks one after another as one, rolled back as one: for what only together leaves no trace. */
export function together(...tasks: readonly Task[]): Task {
  const name = tasks.map((task) => task.name).join(' and ')
  return {
    name,
    description: tasks.map(({ description }) => description).join('; '),
    plan: (ctx, module, params) => under(name, seq(...tasks.map((task) => task.plan(ctx, module, params)))),
    compensation: () => null,
  }
}

const under = (task: string, { nodes, entry, exit }: ExecutionFragment): ExecutionFragment => ({
  nodes: new Map([...nodes].map(([id, node]) => [id, { ...node, task }])),
  entry,
  exit,
})
