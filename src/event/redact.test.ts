import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../test/support/any-character.ts'
import { fail, KubexmError } from '../error/index.ts'
import { Secret } from '../util/secret.ts'
import type { RunEvent } from './event.ts'
import { eventToJson } from './event-json.ts'
import { Redactor } from './redact.ts'

const where = { pipelineId: 'run-1', pipeline: 'create-cluster', module: 'etcd', task: 'etcd.install', step: 'etcd.start', host: 'node1' }
const at = new Date(0)

/** Values a user might really choose: any characters, no blanks at the ends, and not made of the mark itself. */
const secret = fc
  .oneof(
    fc.string({ unit: anyCharacter, minLength: 4, maxLength: 40 }),
    fc.string({ unit: 'grapheme-ascii', minLength: 4, maxLength: 40 }),
    fc.stringMatching(/^[A-Za-z0-9"'\\$%&+/= \n]{4,60}$/),
  )
  .filter((text) => text.trim() === text && text.length >= 4 && !text.includes('*') && !'see above'.includes(text))

type Encoder = readonly [name: string, encode: (text: string) => string]
const json = (text: string): string => JSON.stringify(text).slice(1, -1)
const asciiJson = (text: string): string =>
  json(text).replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
const encoders: readonly Encoder[] = [
  ['raw', (text) => text],
  ['JSON', json],
  ['JSON in JSON', (text) => json(json(text))],
  ['JSON of ASCII only', asciiJson],
  ['JSON of Go', (text) => json(text).replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)],
  ['URL', (text) => encodeURIComponent(text.toWellFormed())],
  ['form', (text) => new URLSearchParams({ x: text.toWellFormed() }).toString().slice(2)],
  ['shell', (text) => text.replaceAll("'", `'\\''`)],
  ['shell with double quotes', (text) => text.replaceAll("'", `'"'"'`)],
  ['base64', (text) => Buffer.from(text).toString('base64')],
  ['base64 of URLs', (text) => Buffer.from(text).toString('base64url')],
]

describe('Redactor.text', () => {
  it.each(encoders)('hides any secret written as %s, anywhere in any text', (_, encode) => {
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        const written = encode(value)
        expect(new Redactor([value]).text(before + written + after)).not.toContain(written)
      }),
      { numRuns: 100 },
    )
  })

  it('hides the secret inside base64 of a longer text, at every alignment', () => {
    const password = 'correct horse'
    for (const user of ['u', 'us', 'usr', 'user']) {
      const encoded = Buffer.from(`${user}:${password}@host`).toString('base64')
      const seen = new Redactor([password]).text(`got ${encoded}`)
      const left = Buffer.from(seen.replace('got ', '').split('***')[0] ?? '', 'base64').toString()
      expect(seen).toContain('***')
      expect(left).not.toContain('orr')
    }
  })

  it('hides each line of a private key, and of its base64 broken into lines', () => {
    const key = [
      '-----BEGIN EC PRIVATE KEY-----',
      'MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49',
      'AwEHoUQDQgAEPR3tU2Fta9ktY+6P9G0cWO+0kETA6SFs38GecTyudlHz6xvCdz8q',
      '-----END EC PRIVATE KEY-----',
      '',
    ].join('\n')
    const redactor = new Redactor([new Secret(key)])
    const written = `${key}${Buffer.from(key).toString('base64').replace(/.{76}/g, '$&\n')}`
    for (const line of written.split('\n').filter((line) => line.length >= 8 && !line.startsWith('-----'))) {
      expect(redactor.text(`> ${line}`)).toBe('> ***')
    }
  })

  it('hides the longer of two secrets that begin alike', () => {
    expect(new Redactor(['hunter', 'hunter2000']).text('it is hunter2000.')).toBe('it is ***.')
  })

  it('leaves values of fewer than four characters alone, as they would blot out ordinary text', () => {
    expect(new Redactor(['a', 'on', 'yes']).text('yes, swap is on')).toBe('yes, swap is on')
  })

  it('hides a secret that was added after the text had been seen without it', () => {
    const redactor = new Redactor()
    expect(redactor.text('s3cret!')).toBe('s3cret!')
    redactor.add('s3cret!')
    expect(redactor.text('s3cret!')).toBe('***')
  })

  it.each([
    ['password: hunter2', 'password: ***'],
    ['DB_PASSWORD=hunter2 next', 'DB_PASSWORD=*** next'],
    ['{"password":"hun ter2","user":"x"}', '{"password":***,"user":"x"}'],
    [String.raw`{\"password\":\"hunter2\"}`, String.raw`{\"password\":***}`],
    ['Authorization: Bearer abc.def-123456', 'Authorization: Bearer ***'],
    ['Authorization: Basic dTpw', 'Authorization: Basic ***'],
    [
      'kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef --discovery-token-ca-cert-hash sha256:12',
      'kubeadm join 10.0.0.1:6443 --token *** --discovery-token-ca-cert-hash sha256:12',
    ],
    ['made abcdef.0123456789abcdef', 'made ***'],
    [`--certificate-key ${'a1'.repeat(32)}`, '--certificate-key ***'],
    [`certificateKey: ${'a1'.repeat(32)}`, 'certificateKey: ***'],
    ['proxy http://me:pa55@proxy:3128/', 'proxy http://me:***@proxy:3128/'],
    ['client-key-data: LS0tLS1CRUdJTiBSU0Eg', 'client-key-data: ***'],
    ['a LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWQ== b', 'a *** b'],
    ['eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJl.c2ln', '***'],
    ['x\n-----BEGIN PRIVATE KEY-----\nMIG\nhAg\n-----END PRIVATE KEY-----\ny', 'x\n***\ny'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIG\nhAg', '***'],
    ['cat key\nMIGhAg==\n-----END PRIVATE KEY-----\nok', 'cat key\n***\nok'],
  ])('knows by its look: %s', (given, expected) => {
    expect(new Redactor().text(given)).toBe(expected)
  })

  it.each([
    'sudo: a password is required',
    'write password: {env: SSH_PASSWORD} instead',
    'invalid token: expired',
    'https://dl.k8s.io/v1.33.4/bin/linux/amd64/kubeadm',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t',
    'Install containerd.service on node12.internal',
  ])('leaves alone: %s', (text) => expect(new Redactor().text(text)).toBe(text))
})

describe('Redactor.event', () => {
  const everywhere = (text: string): readonly RunEvent[] => {
    const foreign = Object.assign(new Error(text, { cause: { deep: [{ text }] } }), { cmd: text, bytes: Buffer.from(text) })
    const inner = fail('KX_COMMAND', { command: text, code: 1 }, { seen: text, fix: text, where: { host: text }, cause: foreign })
    const error = fail('KX_STEP_FAILED', { title: text, why: text }, { where, seen: text, cause: new AggregateError([inner], text) })
    const named = { pipelineId: text, pipeline: text, module: text, task: text, step: text, host: text, at }
    const outline = { nodes: 1, hosts: [text], modules: [{ name: text, tasks: [{ name: text, steps: 1 }] }], criticalPath: [text] }
    return [
      { ...named, type: 'pipeline.started', outline },
      { ...named, type: 'step.started', title: text, node: text },
      { ...named, type: 'step.retrying', title: text, node: text, attempt: 1, error },
      { ...named, type: 'step.finished', title: text, node: text, outcome: 'failed', ms: 1, changes: [{ does: text }], error },
      { ...named, type: 'pipeline.finished', outcome: 'failed', ms: 1, errors: [error, inner] },
      { ...named, type: 'pipeline.cancelling', reason: text },
      { ...named, type: 'step.line', stream: 'stderr', line: text },
      { ...named, type: 'finding', finding: { severity: 'error', code: text, problem: text, fix: text } },
      { ...named, type: 'note', level: 'info', message: text },
    ]
  }
  // Numbers, dates and the fixed words of the types may contain a short secret by chance; they are no leak.
  const innocent = inspect(everywhere(''), { depth: 20 }) + JSON.stringify(everywhere('').map(eventToJson))

  it('hides a secret in every field of every event, its errors and their causes', () => {
    fc.assert(
      fc.property(
        secret.filter((value) => !innocent.includes(value) && !innocent.includes(json(value))),
        fc.string(),
        fc.string(),
        (value, before, after) => {
          const redactor = new Redactor([value])
          for (const event of everywhere(before + value + after).map((event) => redactor.event(event))) {
            const shown = [
              inspect(event, { depth: 20, maxStringLength: null, breakLength: Number.POSITIVE_INFINITY }),
              JSON.stringify(eventToJson(event)),
            ]
            for (const text of shown) for (const form of [value, json(value), json(json(value))]) expect(text).not.toContain(form)
          }
        },
      ),
      { numRuns: 50 },
    )
  })

  it('hides all lines between the marks of a key that nobody named, for that host only', () => {
    const redactor = new Redactor()
    const line = (host: string, text: string): RunEvent => ({ ...where, host, at, type: 'step.line', stream: 'stdout', line: text })
    const shown = [
      line('a', '-----BEGIN PRIVATE KEY-----'),
      line('a', 'MIGH'),
      line('b', 'fine'),
      line('a', '-----END PRIVATE KEY-----'),
      line('a', 'after'),
    ]
    expect(shown.map((event) => redactor.event(event)).map((event) => (event.type === 'step.line' ? event.line : ''))).toEqual([
      '***',
      '***',
      'fine',
      '***',
      'after',
    ])
  })

  it('gives the same object back when there is nothing to hide', () => {
    const error = fail('KX_COMMAND', { command: 'true', code: 1 }, { cause: new Error('x') })
    const event: RunEvent = { ...where, at, type: 'step.finished', title: 'Start etcd', outcome: 'failed', ms: 1, error }
    expect(new Redactor(['s3cret!']).event(event)).toBe(event)
  })

  it('keeps one error one error, its code, its place and a fix of its own', () => {
    const redactor = new Redactor(['s3cret!'])
    const error = fail('KX_COMMAND', { command: 'echo s3cret!', code: 1 }, { where, fix: 'do not echo s3cret!' })
    const clean = redactor.error(error)
    expect(redactor.error(error)).toBe(clean)
    expect(clean).toBeInstanceOf(KubexmError)
    expect(clean).toMatchObject({ code: 'KX_COMMAND', where, message: '"echo ***" ended with 1', fix: 'do not echo ***' })
  })

  it('never changes the words that give an event its meaning', () => {
    const event: RunEvent = { ...where, at, type: 'step.finished', title: 'x', outcome: 'failed', ms: 1 }
    expect(new Redactor(['failed', 'step.finished']).event(event)).toMatchObject({ type: 'step.finished', outcome: 'failed' })
  })

  it('comes to an end when causes go round in a circle', () => {
    const [a, b] = [new Error('a s3cret!'), new Error('b s3cret!')]
    a.cause = b
    b.cause = a
    const clean = new Redactor(['s3cret!']).error(fail('KX_BUG', { what: 'x' }, { cause: a }))
    expect(inspect(clean, { depth: 20 })).not.toContain('s3cret!')
  })
})
