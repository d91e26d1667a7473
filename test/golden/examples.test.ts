// What each example would do, kept as text and reviewed like code. Update with `vitest run --project fast test/golden -u`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hostsOf, parseCluster } from '../../src/config/index.ts'
import { type PipelineName, pipelines } from '../../src/pipeline/index.ts'
import { toText } from '../../src/plan/index.ts'
import { artifactsFor, builtInCatalogue, shapeOf } from '../../src/resource/index.ts'
import { planContext, workPaths } from '../../src/runtime/index.ts'
import { SimulatedFleet } from '../../src/simulation/index.ts'

const directory = join(import.meta.dirname, '../../examples')
const examples = readdirSync(directory).filter((file) => file.endsWith('.yaml'))

async function planText(file: string, pipeline: PipelineName): Promise<string> {
  const { cluster, errors } = parseCluster(readFileSync(join(directory, file), 'utf8'), file)
  expect(errors).toEqual([])
  if (cluster === null) throw new Error(`${file} is not valid`)
  const fleet = new SimulatedFleet({ hosts: hostsOf(cluster).map(({ name, address }) => ({ name, address })) })
  const hosts = await Promise.all(hostsOf(cluster).map(async (host) => ({ ...host, facts: await fleet.runner(host.name).facts() })))
  const artifacts = artifactsFor(
    shapeOf(cluster, () => 'amd64'),
    builtInCatalogue,
  )
  return toText(pipelines[pipeline].plan(planContext(cluster, hosts, workPaths('.', cluster.metadata.name), artifacts)))
}

describe('the plan of an example', () => {
  it.each(examples)('%s: create', async (file) => {
    await expect(await planText(file, 'create-cluster')).toMatchFileSnapshot(`plans/${file.replace('.yaml', '')}.create.txt`)
  })

  it.each(examples)('%s: delete', async (file) => {
    await expect(await planText(file, 'delete-cluster')).toMatchFileSnapshot(`plans/${file.replace('.yaml', '')}.delete.txt`)
  })
})
