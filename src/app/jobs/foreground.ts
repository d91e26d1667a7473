import type { Report } from '../../engine/index.ts'
import { type Claim, type Claimant, claimJob, startForeground } from '../../store/index.ts'
import { leaseTime } from './keep-claim.ts'
import type { Jobs } from './open.ts'
import { runJob, type Surroundings } from './run.ts'
import { newJob, type Submission } from './submit.ts'

/** Who sits before a run. */
type Person = Pick<Surroundings, 'sinks' | 'ask' | 'cancel' | 'abandon' | 'mergeKubeconfig'>

const never = new AbortController().signal

const claimant = ({ worker, process, home }: Jobs): Claimant => ({ worker, process, home, lease: leaseTime })

/** Records a job and runs it in this process, for the person before it; others can watch it meanwhile. */
export async function runForeground(jobs: Jobs, submission: Submission & { readonly resume: boolean }, person: Person): Promise<Report> {
  const { takesOver, ...claim } = await startForeground(jobs.database, newJob(jobs, submission), claimant(jobs), submission)
  const { resume, cluster } = submission
  return runJob(jobs, claim, { ...person, handOver: never, resume, takesOver, cluster })
}

/** Runs a job that waits in this process; null when it cannot be had now. */
export async function runWaiting(jobs: Jobs, id: string, person: Person): Promise<Report | null> {
  const claim: Claim | null = await claimJob(jobs.database, { ...claimant(jobs), only: id })
  if (claim === null) return null
  return runJob(jobs, claim, { ...person, handOver: never, resume: 'if-begun', takesOver: claim.job.attempt > 1 })
}
