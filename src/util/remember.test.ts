import { expect, it } from 'vitest'
import { remembering } from './remember.ts'

const counted = (most: number) => {
  const made: string[] = []
  const ask = remembering((text) => {
    made.push(text)
    if (text === 'bad') throw new Error('bad')
    return text === 'nothing' ? null : { text }
  }, most)
  return { ask, made }
}

it('makes each answer once, and an answer that is nothing too', () => {
  const { ask, made } = counted(10)
  expect(ask('a')).toBe(ask('a'))
  expect(ask('a')).toEqual({ text: 'a' })
  expect([ask('nothing'), ask('nothing')]).toEqual([null, null])
  expect(made).toEqual(['a', 'nothing'])
})

it('keeps no more than it was told to, and answers as before', () => {
  const { ask, made } = counted(2)
  for (const text of ['a', 'b', 'c', 'a']) expect(ask(text)).toEqual({ text })
  expect(made).toEqual(['a', 'b', 'c', 'a'])
})

it('remembers no failure', () => {
  const { ask, made } = counted(2)
  expect(() => ask('bad')).toThrow('bad')
  expect(() => ask('bad')).toThrow('bad')
  expect(made).toEqual(['bad', 'bad'])
})
