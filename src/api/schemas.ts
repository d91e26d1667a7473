import * as z from 'zod'
import { nodeStates } from '../event/index.ts'

/** The shapes of the API: requests are checked against them, answers are made by them, and `/openapi.json` describes them. */

const time = z.iso.datetime()
const role = z.enum(['viewer', 'operator', 'admin'])

export const errorShape = z.object({ code: z.string(), problem: z.string(), fix: z.string() })

export const problemShape = z
  .object({
    severity: z.enum(['error', 'warning']),
    code: z.string(),
    line: z.int(),
    col: z.int(),
    width: z.int(),
    path: z.string(),
    problem: z.string(),
    fix: z.string(),
    source: z.string(),
  })
  .meta({ id: 'Problem', description: 'Something wrong in a config, with its place in the text.' })

export const failureShape = z
  .object({ code: z.string(), problem: z.string(), fix: z.string(), errors: z.array(problemShape) })
  .meta({ id: 'Failure', description: 'What went wrong and what to do; errors is filled for a config that is not valid.' })

export const sessionShape = z
  .object({ name: z.string(), role, expires_at: time.nullable() })
  .meta({ id: 'Session', description: 'Whom a token stands for.' })

export const acceptedShape = z
  .object({ job_id: z.string(), warnings: z.array(problemShape) })
  .meta({ id: 'Accepted', description: 'The job that was recorded.' })

export const validationShape = z
  .object({ valid: z.boolean(), cluster: z.string().nullable(), errors: z.array(problemShape), warnings: z.array(problemShape) })
  .meta({ id: 'Validation' })

export const statusShape = z.enum(['Pending', 'Processing', 'Success', 'Failed', 'Cancelled'])

export const jobShape = z
  .object({
    id: z.string(),
    cluster: z.string(),
    pipeline: z.string(),
    status: statusShape,
    current_step: z.string().nullable(),
    created_at: time,
    updated_at: time,
    started_at: time.nullable(),
    finished_at: time.nullable(),
    requested_by: z.string(),
    worker: z.string().nullable(),
    attempt: z.int(),
    cancel_requested: z.boolean(),
    error: errorShape.nullable(),
    options: z.object({
      rehearse: z.boolean(),
      rollback_on_failure: z.boolean(),
      purge_data: z.boolean(),
      parallel: z.int().nullable(),
      limit_hosts: z.array(z.string()),
    }),
    foreground: z.boolean(),
  })
  .meta({ id: 'Job' })

const clusterFields = {
  name: z.string(),
  kubernetes_version: z.string().nullable(),
  hosts: z.int(),
  last_job: jobShape,
  state: z.enum(['present', 'absent', 'changing', 'unknown']),
}

export const clusterShape = z.object(clusterFields).meta({ id: 'Cluster' })

export const clusterDetailShape = z
  .object({
    ...clusterFields,
    nodes: z.array(
      z.object({
        name: z.string(),
        address: z.string(),
        internal_address: z.string(),
        roles: z.array(z.string()),
        arch: z.string().nullable(),
        labels: z.record(z.string(), z.string()),
      }),
    ),
    versions: z.array(z.object({ name: z.string(), version: z.string() })),
    certificates: z.array(
      z.object({ name: z.string(), subject: z.string(), not_before: time, not_after: time, ca: z.boolean(), host: z.string().nullable() }),
    ),
    history: z.array(jobShape),
  })
  .meta({ id: 'ClusterDetail' })

export const storedEventShape = z
  .object({ seq: z.int(), event: z.looseObject({ type: z.string(), at: z.string() }) })
  .meta({ id: 'StoredEvent', description: 'An event of a job and its number.' })

export const graphShape = z
  .object({
    planned: z.boolean(),
    pipeline: z.string(),
    digest: z.string().nullable(),
    seq: z.int(),
    critical_path: z.array(z.string()),
    nodes: z.array(
      z.object({
        id: z.string(),
        kind: z.enum(['step', 'milestone']),
        module: z.string(),
        task: z.string(),
        step: z.string().nullable(),
        title: z.string(),
        host: z.string().nullable(),
        needs: z.array(z.string()),
        state: z.enum(nodeStates),
        started_at: z.string().nullable(),
        ms: z.number().nullable(),
        error: errorShape.nullable(),
      }),
    ),
  })
  .meta({ id: 'Graph', description: 'The plan of a job and how each node stands.' })

export const tokenShape = z
  .object({ id: z.string(), name: z.string(), role, created_at: time, expires_at: time.nullable(), revoked: z.boolean() })
  .meta({ id: 'Token' })

export const newTokenShape = tokenShape.extend({ token: z.string() }).meta({ id: 'NewToken' })

export const auditShape = z
  .object({ id: z.int(), at: time, who: z.string(), action: z.string(), target: z.string(), origin: z.string(), outcome: z.string() })
  .meta({ id: 'AuditEntry' })

/** A page of a list. */
export const pageOf = <S extends z.ZodType>(item: S) => z.object({ items: z.array(item), next: z.string().nullable() })

/** Where a page begins and how long it is. */
export const paging = {
  limit: z.coerce.number().int().min(1).max(200).default(50),
  after: z.string().min(1).max(200).optional(),
}

const flag = z.enum(['true', 'false', '']).transform((value) => value !== 'false')

/** How a job is to be run. */
export const runOptions = {
  rehearse: flag.optional(),
  real_time: flag.optional(),
  rollback_on_failure: flag.optional(),
  parallel: z.coerce.number().int().min(1).max(10_000).optional(),
  limit_hosts: z
    .string()
    .max(10_000)
    .transform((names) => names.split(',').filter((name) => name !== ''))
    .optional(),
  max_failed: z.coerce
    .number()
    .int()
    .min(0)
    .max(100_000)
    .optional()
    .meta({ description: 'So many hosts may fail without ending the run; without it none, and all of them for a delete.' }),
}

/** What a delete can be asked for besides. */
export const deleteOptions = { purge_data: flag.optional() }

export const newToken = z.strictObject({
  name: z.string().trim().min(1).max(100),
  role,
  expires_in: z.string().max(20).optional().meta({ description: 'How long it counts, such as 30d or 12h; for ever without it.' }),
})

export const signIn = z.strictObject({ token: z.string().min(1).max(200) })
export const byId = z.object({ id: z.string().min(1).max(100) })
export const byName = z.object({ name: z.string().min(1).max(253) })
