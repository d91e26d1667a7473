import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fail } from '../../error/index.ts'
import { errorToJson } from '../../event/event-json.ts'
import type { ErrorJson } from '../api/types.ts'
import { en } from './en.ts'
import { errorInChinese } from './error-text.ts'
import { isMessage, type MessageKey, preferredLanguage, sayIn } from './text.ts'
import { durationText } from './time.ts'
import { zh } from './zh.ts'

const keys = Object.keys(en) as MessageKey[]
const holes = (text: string): readonly string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').toSorted()

describe('the words of the console', () => {
  it('are the same in number and parameters in both languages', () => {
    expect(Object.keys(zh).toSorted()).toEqual(keys.toSorted())
    for (const key of keys) expect([key, ...holes(zh[key])]).toEqual([key, ...holes(en[key])])
  })

  it('are all translated', () => {
    const alike = keys.filter((key) => zh[key] === en[key])
    expect(alike).toEqual(['clusters.col.version', 'cluster.ca', 'detail.task', 'log.task', 'submit.limit.hint'])
    expect(keys.filter((key) => zh[key].trim() === '' || en[key].trim() === '')).toEqual([])
  })

  it('are all said somewhere', () => {
    // Words whose key is put together from what the server says.
    const families = /^(status|state|outcome|pipeline|clusterState|result|log\.level|job\.tab|app\.theme)\.\w/
    const folder = join(import.meta.dirname, '..')
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.tsx?$/.test(name) && !/(en|zh|\.test)\.ts$/.test(name),
    )
    const code = sources.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
    expect(keys.filter((key) => !families.test(key) && !code.includes(`'${key}'`))).toEqual([])
  })

  it('are filled in', () => {
    expect(sayIn('en')('job.done', { done: 3, total: 9 })).toBe('3 of 9 steps')
    expect(sayIn('zh')('job.done', { done: 3, total: 9 })).toBe('3 / 9 步')
  })

  it('keep words that look like parameters in values', () => {
    expect(sayIn('en')('log.cancelling', { reason: '{reason}' })).toBe('Cancelling: {reason}')
  })

  it('know which keys there are', () => {
    expect(isMessage('pipeline.create-cluster')).toBe(true)
    expect(isMessage('toString')).toBe(false)
  })
})

describe('preferredLanguage', () => {
  it.each([
    [['zh-CN', 'en'], 'zh'],
    [['de-DE', 'zh-TW'], 'zh'],
    [['en-US', 'zh'], 'en'],
    [['fr'], 'en'],
    [[], 'en'],
  ] as const)('of %j is %s', (languages, expected) => expect(preferredLanguage(languages)).toBe(expected))
})

describe('errorInChinese', () => {
  it('says an error of an event in Chinese, with its values', () => {
    const json = errorToJson(fail('KX_COMMAND', { command: 'systemctl start etcd', code: 1 })) as unknown as ErrorJson
    const { problem, fix } = errorInChinese(json)
    expect(problem).toContain('systemctl start etcd')
    expect(problem).not.toBe(json.problem)
    expect(fix).not.toBe(json.fix)
  })

  it('keeps a fix that was written for the case, and errors of another version', () => {
    const json = errorToJson(fail('KX_COMMAND', { command: 'x', code: 1 }, { fix: 'turn it off' })) as unknown as ErrorJson
    expect(errorInChinese(json).fix).toBe('turn it off')
    const unknown = { code: 'KX_FROM_THE_FUTURE', problem: 'flux', fix: 'wait', params: {} }
    expect(errorInChinese(unknown)).toBe(unknown)
  })
})

describe('durationText', () => {
  it.each([
    [0, '0 ms'],
    [950, '950 ms'],
    [4210, '4.2 s'],
    [9960, '10 s'],
    [59_400, '59 s'],
    [185_000, '3 min 05 s'],
    [7_800_000, '2 h 10 min'],
  ])('of %d ms is %s', (ms, text) => expect(durationText(ms)).toBe(text))
})
