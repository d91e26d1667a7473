import { performance } from 'node:perf_hooks'
import { fail } from '../../error/index.ts'
import { type Claim, type Database, renewLease, standingOf } from '../../store/index.ts'
import { type Millis, seconds } from '../../util/time.ts'

/** How long a worker may be silent before another takes its job over. */
export const leaseTime: Millis = seconds(15)
/** How often a worker looks whether somebody wants its job cancelled. */
const lookEvery: Millis = 300

/** A claim that is kept alive. */
export interface KeptClaim extends AsyncDisposable {
  /** Aborted when the job is somebody else's, or may be: from then on nothing may be changed. */
  readonly lost: AbortSignal
  /** Aborted when somebody wants the job cancelled. */
  readonly cancelled: AbortSignal
  /** Told by who found out otherwise. */
  lose(cause: unknown): void
}

/**
 * Renews a claim every third of its life until disposed. A database that does not answer is asked again; when it has not answered for
 * so long that the claim may have ended, the claim is given up: another worker may have it already.
 */
export function keepClaim(database: Database, claim: Claim, lease: Millis = leaseTime): KeptClaim {
  const lost = new AbortController()
  const cancelled = new AbortController()
  // Of this machine's clocks only this one cannot be set.
  let renewedAt = performance.now()
  let looking: Promise<void> | null = null
  const lose = (cause?: unknown): void => lost.abort(fail('KX_JOB_LOST', { id: claim.job.id }, { cause }))

  const look = async (): Promise<void> => {
    const asked = performance.now()
    const due = asked - renewedAt >= lease / 3
    const standing = due ? await renewLease(database, claim, lease) : await standingOf(database, claim)
    if (!standing.held) return lose()
    if (due) renewedAt = asked
    if (standing.cancel) cancelled.abort(new Error('cancelled by request'))
  }
  const tick = (): void => {
    // A moment before the claim ends, so that nothing is under way when it does.
    if (performance.now() - renewedAt > lease * 0.9) lose()
    looking ??= look()
      // Asked again at the next tick: whether it has been too long is decided above.
      .catch(() => undefined)
      .finally(() => {
        looking = null
      })
  }
  const timer = setInterval(tick, Math.min(lookEvery, lease / 6))
  tick()
  return {
    lost: lost.signal,
    cancelled: cancelled.signal,
    lose,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await looking
    },
  }
}
