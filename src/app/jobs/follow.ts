import { type Database, findJob, readEvents, type StoredEvent } from '../../store/index.ts'
import { systemClock } from '../../util/time.ts'

const atOnce = 500
const lookEvery = 100

/** Whether a job has come to its end. */
export const isOver = (status: string): boolean => status === 'Success' || status === 'Failed' || status === 'Cancelled'

/** The events of a job after a number, each as it comes when `follow` is set, until the job has ended or the signal is aborted. */
export async function* followJob(
  database: Database,
  id: string,
  { after = 0, follow, signal }: { readonly after?: number; readonly follow: boolean; readonly signal?: AbortSignal },
): AsyncGenerator<StoredEvent> {
  let last = after
  for (;;) {
    // Looked at first: all events of a job that has ended are there.
    const over = !follow || isOver((await findJob(database, id)).status)
    for (;;) {
      const page = await readEvents(database, id, last, atOnce)
      for (const event of page) {
        yield event
        last = event.seq
      }
      if (page.length < atOnce) break
    }
    if (over || signal?.aborted === true) return
    await systemClock.sleep(lookEvery)
  }
}
