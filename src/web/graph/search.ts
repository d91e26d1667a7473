import type { Run } from '../run/run.ts'
import type { GraphModel } from './model.ts'

const texts = new WeakMap<GraphModel, readonly string[]>()

function textsOf(model: GraphModel): readonly string[] {
  const known = texts.get(model)
  if (known !== undefined) return known
  const made = model.nodes.map((node) => {
    const task = model.tasks[node.task]
    const module = model.modules[task?.module ?? -1]
    return `${module?.name} ${task?.name} ${node.step} ${node.title} ${node.host}`.toLowerCase()
  })
  texts.set(model, made)
  return made
}

/** The steps whose module, task, step, title, host or state have all the words; null for no words. */
export function search(run: Run, query: string): readonly number[] | null {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return null
  const all = textsOf(run.model)
  const found: number[] = []
  for (const node of run.model.nodes) {
    if (node.milestone) continue
    const text = `${all[node.index]} ${run.states[node.index]}`
    if (words.every((word) => text.includes(word))) found.push(node.index)
  }
  return found
}
