import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { portableConfig } from '../../../test/support/api.ts'
import { inTemporaryDirectory } from '../../../test/support/engine-run.ts'
import { submit } from '../../../test/support/job-runs.ts'
import { parseCluster } from '../../config/index.ts'
import { createPki, diskStore } from '../../pki/index.ts'
import { workPaths } from '../../runtime/index.ts'
import { claimJob, endJob } from '../../store/index.ts'
import { clusterView } from './cluster-view.ts'
import { openJobs } from './open.ts'

it('shows the certificates that are kept of a cluster, each with the host it is for', () =>
  inTemporaryDirectory(async (directory) => {
    await using jobs = await openJobs({ directory, env: {} })
    await submit(jobs)
    const seen = async () => (await clusterView(jobs, 'lab'))?.certificates
    expect(await seen()).toEqual([])
    const { cluster } = parseCluster(portableConfig(), 'cluster.yaml')
    if (cluster === null) throw new Error('the config is not valid')
    const paths = workPaths(directory, 'lab')
    await createPki({ cluster, store: diskStore(paths) }).issue()
    const certificates = (await seen()) ?? []
    expect(certificates.find(({ name }) => name === 'kubernetes/ca')).toMatchObject({
      ca: true,
      host: null,
      subject: expect.stringContaining('CN='),
    })
    expect(certificates.filter(({ name }) => name === 'kubernetes/apiserver')).toMatchObject([{ ca: false, host: 'node1' }])
    expect(new Set(certificates.map(({ host }) => host))).toEqual(new Set([null, 'node1', 'node2', 'node3']))
    for (const { notBefore, notAfter } of certificates) expect(notAfter.getTime()).toBeGreaterThan(notBefore.getTime())
    // One that is broken keeps nobody from seeing the others.
    await writeFile(join(paths.certs('kubernetes'), 'ca.crt'), 'x')
    expect(await seen()).toHaveLength(certificates.length - 1)
  }))

it('is changing only while a job changes it, not while one only looks or rehearses', () =>
  inTemporaryDirectory(async (directory) => {
    await using jobs = await openJobs({ directory, env: {} })
    const stateDuring = async (given: Parameters<typeof submit>[1]) => {
      await submit(jobs, given)
      const claim = await claimJob(jobs.database, { worker: 'w', process: jobs.process, home: jobs.home, lease: 60_000 })
      if (claim === null) throw new Error('nothing to claim')
      const state = (await clusterView(jobs, 'lab'))?.state
      await endJob(jobs.database, claim, { status: 'Success' })
      return [state, (await clusterView(jobs, 'lab'))?.state]
    }
    expect(await stateDuring({ options: { rehearse: true } })).toEqual(['unknown', 'unknown'])
    expect(await stateDuring({ options: {} })).toEqual(['changing', 'present'])
    expect(await stateDuring({ pipeline: 'preflight', options: {} })).toEqual(['present', 'present'])
    expect(await stateDuring({ pipeline: 'delete-cluster', options: {} })).toEqual(['changing', 'absent'])
  }))
