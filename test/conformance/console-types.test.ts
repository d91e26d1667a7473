// The console may not import the server, so it has types of its own: here the two are held against each other.
import { describe, expect, expectTypeOf, it } from 'vitest'
import type * as z from 'zod'
import {
  acceptedShape,
  clusterDetailShape,
  clusterShape,
  failureShape,
  graphShape,
  jobShape,
  sessionShape,
  validationShape,
} from '../../src/api/schemas.ts'
import type {
  Accepted,
  Cluster,
  ClusterDetail,
  ConfigProblem,
  Graph,
  GraphNode,
  Job,
  Refusal,
  Session,
  Validation,
} from '../../src/web/api/types.ts'
import { madeGraph } from '../support/console-graph.ts'

const at = '2026-01-02T03:04:05.000Z'
const error = { code: 'KX_COMMAND', problem: 'it ended with 1', fix: 'see what it printed' }
const job: Job = {
  id: '7f3a',
  cluster: 'demo',
  pipeline: 'create-cluster',
  status: 'Failed',
  current_step: null,
  created_at: at,
  updated_at: at,
  started_at: at,
  finished_at: null,
  requested_by: 'ops',
  worker: null,
  attempt: 1,
  cancel_requested: false,
  error,
  options: { rehearse: true, rollback_on_failure: false, purge_data: false, parallel: null, limit_hosts: ['node1'] },
  foreground: false,
}
const problem: ConfigProblem = {
  severity: 'error',
  code: 'KX_X',
  line: 1,
  col: 2,
  width: 3,
  path: 'a',
  problem: 'b',
  fix: 'c',
  source: 'd',
}
const cluster: Cluster = { name: 'demo', kubernetes_version: null, hosts: 1, last_job: job, state: 'present' }
const detail: ClusterDetail = {
  ...cluster,
  nodes: [{ name: 'node1', address: 'a', internal_address: 'b', roles: ['master'], arch: null, labels: { a: 'b' } }],
  versions: [{ name: 'etcd', version: 'v3' }],
  certificates: [{ name: 'ca', subject: 'CN=ca', not_before: at, not_after: at, ca: true, host: null }],
  history: [job],
}
const session: Session = { name: 'ops', role: 'operator', expires_at: null }
const validation: Validation = { valid: false, cluster: null, errors: [problem], warnings: [] }
const accepted: Accepted = { job_id: '7f3a', warnings: [problem] }
const refusal: Refusal = { ...error, errors: [problem] }
const graph: Graph = madeGraph([{ name: 'm', tasks: { t: 1 }, hosts: ['a'] }])

describe('what the console expects of the server', () => {
  it.each<[string, z.ZodType, unknown]>([
    ['Job', jobShape, job],
    ['Cluster', clusterShape, cluster],
    ['ClusterDetail', clusterDetailShape, detail],
    ['Session', sessionShape, session],
    ['Validation', validationShape, validation],
    ['Accepted', acceptedShape, accepted],
    ['an error', failureShape, refusal],
    ['Graph', graphShape, graph],
  ])('is what the server answers: %s', (_, shape, value) => {
    // Parsing leaves out what the server does not have: equal means that it has every field.
    expect(shape.parse(value)).toEqual(value)
  })

  it('has a type for everything the server may answer', () => {
    expectTypeOf<z.output<typeof jobShape>>().toExtend<Job>()
    expectTypeOf<z.output<typeof clusterShape>>().toExtend<Cluster>()
    expectTypeOf<z.output<typeof clusterDetailShape>>().toExtend<ClusterDetail>()
    expectTypeOf<z.output<typeof sessionShape>>().toExtend<Session>()
    expectTypeOf<z.output<typeof validationShape>>().toExtend<Validation>()
    expectTypeOf<z.output<typeof acceptedShape>>().toExtend<Accepted>()
    expectTypeOf<z.output<typeof failureShape>>().toExtend<Refusal>()
    expectTypeOf<Omit<z.output<typeof graphShape>['nodes'][number], 'state'>>().toExtend<Omit<GraphNode, 'state'>>()
    expect(Object.keys(graphShape.shape).toSorted()).toEqual(Object.keys(graph).toSorted())
  })
})
