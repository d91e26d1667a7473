import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../test/support/any-character.ts'
import { parseCluster } from './parse.ts'
import { renderProblem } from './problem.ts'

const directory = new URL('../../examples/', import.meta.url)
const examples = [
  ...readdirSync(directory).map((file) => new URL(file, directory)),
  new URL('../../test/golden/config/seed-as-it-stands.yaml', import.meta.url),
].map((file) => readFileSync(file, 'utf8'))

/** One change to a text, of the kinds people and editors make. */
type Mutation = (text: string, at: number, length: number) => string
const insert =
  (piece: string): Mutation =>
  (text, at) =>
    text.slice(0, at) + piece + text.slice(at)
const pieces = [
  '：',
  '\t',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  ':',
  '- ',
  '\n',
  '#',
  '&a ',
  '*a',
  '!!binary ',
  '|\n',
  '%',
  '\u200b',
  '\ufeff',
  '\0',
  '😀',
  '<<: ',
  '? ',
  '---\n',
  '0x',
  'null',
  'true',
  '-1',
  '1e999',
  '__proto__: ',
]
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.constantFrom(...pieces).map(insert),
  fc.constant<Mutation>((text, at, length) => text.slice(0, at) + text.slice(at + length)),
  fc.constant<Mutation>((text, at, length) => text.slice(0, at) + text.slice(at, at + length).repeat(3) + text.slice(at + length)),
  fc.constant<Mutation>((text, at) =>
    text
      .split('\n')
      .filter((_, i, all) => i !== at % all.length)
      .join('\n'),
  ),
  fc.constant<Mutation>((text, at) =>
    text
      .split('\n')
      .map((line, i, all) => (i === at % all.length ? ` ${line}` : line))
      .join('\n'),
  ),
  fc.string({ maxLength: 8, unit: anyCharacter }).map(insert),
)

describe('a thousand mutated configs', () => {
  it('are read without a crash, and no error is without a place', () => {
    const mutated = fc.tuple(
      fc.constantFrom(...examples),
      fc.array(fc.tuple(mutation, fc.nat(8000), fc.integer({ min: 1, max: 60 })), { minLength: 1, maxLength: 4 }),
    )
    fc.assert(
      fc.property(mutated, ([text, changes]) => {
        const broken = changes.reduce((now, [change, at, length]) => change(now, at % (now.length + 1), length), text)
        const lines = broken.split('\n').length
        const { cluster, errors, warnings } = parseCluster(broken, 'c.yaml')
        expect(cluster === null).toBe(errors.length > 0)
        for (const problem of [...errors, ...warnings]) {
          expect(problem.line).toBeGreaterThanOrEqual(1)
          expect(problem.line).toBeLessThanOrEqual(lines)
          expect(problem.col).toBeGreaterThanOrEqual(1)
          expect(problem.width).toBeGreaterThanOrEqual(1)
          expect(problem.problem).not.toMatch(/\{\w+\}|undefined/)
          expect(problem.fix).not.toMatch(/\{how\}|undefined/)
          expect(renderProblem(problem).split('\n').length).toBe(4)
        }
      }),
      { numRuns: 1000 },
    )
  }, 120_000)
})

describe('files made to hurt', () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghijk'].map((c, i, all) => `${c}: &${c} [${Array.from({ length: 9 }, () => `*${i === 0 ? 'a' : all[i - 1]}`).join(',')}]`).join('\n')}`
  it.each<[string, string, string]>([
    ['an alias bomb', bomb, 'KX_CONFIG_ALIAS_BOMB'],
    ['an alias to itself', 'a: &x [*x]', 'KX_CONFIG_ALIAS_UNKNOWN'],
    ['ten megabytes', `a: ${'b'.repeat(10_000_000)}`, 'KX_CONFIG_TOO_LARGE'],
    ['ten thousand brackets', `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'KX_CONFIG_TOO_DEEP'],
    ['ten thousand braces', `${'{a: '.repeat(10_000)}1${'}'.repeat(10_000)}`, 'KX_CONFIG_TOO_DEEP'],
    ['ten thousand dashes', `${'- '.repeat(10_000)}a`, 'KX_CONFIG_TOO_DEEP'],
    ['brackets never closed', '['.repeat(30), 'KX_CONFIG_SYNTAX'],
    ['a thousand levels of indentation', Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), 'KX_CONFIG_TOO_DEEP'],
    ['a hundred thousand unknown keys', Array.from({ length: 100_000 }, (_, i) => `k${i}: v`).join('\n'), 'KX_CONFIG_MISSING'],
    ['half a million look-alikes', 'a：'.repeat(500_000), 'KX_CONFIG_NOT_A_MAP'],
  ])(
    '%s',
    (_, text, code) => {
      // Of this thread: other tests run beside it in the same process.
      const start = process.threadCpuUsage()
      const { cluster, errors } = parseCluster(text, 'c.yaml')
      const { user } = process.threadCpuUsage(start)
      expect(cluster).toBeNull()
      expect(errors.map((error) => error.code)).toContain(code)
      expect(errors.length).toBeLessThanOrEqual(1000)
      expect(user / 1000).toBeLessThan(5000)
    },
    30_000,
  )
})

describe('a thousand hosts', () => {
  const hosts = Array.from(
    { length: 1000 },
    (_, i) =>
      `  - {name: node${i}, address: 10.1.${i >> 8}.${i & 255}, internalAddress: "10.1.${i >> 8}.${i & 255},2022::${(i + 1).toString(16)}", user: ubuntu, labels: {disk: SSD}}`,
  )
  const text = [
    'apiVersion: kubexm.mensylisir.io/v1alpha1',
    'kind: Cluster',
    'metadata: {name: big}',
    'spec:',
    '  hosts:',
    ...hosts,
    '  roleGroups: {master: ["node[0:2]"], worker: ["node[3:999]"]}',
    '  controlPlaneEndpoint: {internalLoadbalancer: haproxy}',
    '  network: {kubePodsCIDR: 10.96.0.0/12, kubeServiceCIDR: 10.233.0.0/18}',
  ].join('\n')

  it('are checked in 300 ms', () => {
    expect(parseCluster(text, 'c.yaml').errors).toEqual([])
    // Once in ten tries: what is measured is the code, not what else the machine does at the same time.
    let best = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 10 && best >= 300; tries += 1) {
      const start = process.threadCpuUsage()
      parseCluster(text, 'c.yaml')
      const { user, system } = process.threadCpuUsage(start)
      best = Math.min(best, (user + system) / 1000)
    }
    expect(best).toBeLessThan(300)
  }, 60_000)
})
