import { type PipelineName, planOperation } from '../app/index.ts'
import { loadCluster } from '../config/index.ts'
import { toDot, toJson, toSvg, toText } from '../plan/index.ts'
import { type ClusterOptions, sourcesOf } from './cluster-options.ts'
import { askPerson } from './person.ts'

type Format = 'text' | 'json' | 'dot' | 'svg'

/** Prints the plan of an operation. */
export async function showPlan(
  pipeline: PipelineName,
  options: Omit<ClusterOptions, 'output'> & { readonly output: Format },
): Promise<void> {
  const graph = await planOperation({
    cluster: await loadCluster(options.file),
    pipeline,
    directory: options.directory,
    rehearse: options.rehearse,
    only: options.limit,
    until: null,
    maxFailed: 0,
    sources: sourcesOf(options),
    ask: askPerson,
    sinks: [],
    cancel: new AbortController().signal,
  })
  const formats = {
    text: () => toText(graph),
    json: () => `${JSON.stringify(toJson(graph), null, 2)}\n`,
    dot: () => toDot(graph),
    svg: () => toSvg(graph),
  }
  process.stdout.write(await formats[options.output]())
}
