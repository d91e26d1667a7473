// What preparing the hosts of the fullest example does, and what deleting it takes away, kept as text. Update with -u.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hostsOf } from '../../src/config/index.ts'
import { type Intent, nodeModule } from '../../src/module/index.ts'
import { definePipeline } from '../../src/pipeline/index.ts'
import { toText } from '../../src/plan/index.ts'
import { planContext, workPaths } from '../../src/runtime/index.ts'
import { SimulatedFleet } from '../../src/simulation/index.ts'
import { clusterOf } from '../support/clusters.ts'

it.each(['create', 'delete'] satisfies Intent[])('the plan of the node module: %s', async (intent) => {
  const cluster = clusterOf(readFileSync(join(import.meta.dirname, '../../examples/full.yaml'), 'utf8'))
  const fleet = new SimulatedFleet({ hosts: hostsOf(cluster).map(({ name, address }) => ({ name, address, os: 'rocky-9' as const })) })
  const hosts = await Promise.all(hostsOf(cluster).map(async (host) => ({ ...host, facts: await fleet.runner(host.name).facts() })))
  const pipeline = definePipeline({ name: `node-${intent}`, plan: (module) => module(nodeModule, intent) })
  await expect(toText(pipeline.plan(planContext(cluster, hosts, workPaths('.', 'golden'))))).toMatchFileSnapshot(`node/full.${intent}.txt`)
})
