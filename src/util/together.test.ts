import { describe, expect, it } from 'vitest'
import { together } from './together.ts'

describe('work done together', () => {
  it('gives what each gave, in the order asked', async () => {
    const slow = new Promise<string>((resolve) => setTimeout(resolve, 5, 'slow'))
    expect(await together([slow, Promise.resolve('fast')])).toEqual(['slow', 'fast'])
  })

  it('fails only when the others have ended', async () => {
    let ended = false
    const slow = new Promise<void>((resolve) => setTimeout(resolve, 5)).then(() => {
      ended = true
    })
    await expect(together([Promise.reject(new Error('bad')), slow])).rejects.toThrow('bad')
    expect(ended).toBe(true)
  })
})
