import { test } from 'vitest'
import { everyRun } from '../support/cluster-cases.ts'
import { tryCluster } from '../support/try-cluster.ts'
import { describeLab } from '../support/with-lab.ts'

describeLab('a cluster is created, works, survives, and is deleted without a trace', () => {
  test.each(everyRun)('$name', async (one) => {
    const { create, again, remove } = await tryCluster(one)
    process.stdout.write(`${one.name}: created in ${create.toFixed(1)} s, again ${again.toFixed(1)} s, deleted in ${remove.toFixed(1)} s\n`)
  })
})
