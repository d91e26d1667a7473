/**
 * Like `Promise.all`, but ends only when all have ended: when one fails, nothing of the others is still being written
 * or changed behind the back of whoever cleans up.
 */
export async function together<T>(works: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(works)
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
}
