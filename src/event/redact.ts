import { KubexmError } from '../error/index.ts'
import { Secret } from '../util/secret.ts'
import type { RunEvent } from './event.ts'
import { SecretIndex } from './secret-index.ts'
import { hidden, hideSuspicious, privateKeyEdge } from './secret-patterns.ts'

/** Shorter values would blot out ordinary text, and are no secrets worth the name. */
const shortest = 4
/** Names and titles come again and again; longer texts hardly do. */
const longestRemembered = 160
const mostRemembered = 20_000
/** How far into the objects of a foreign error is looked; what lies deeper is hidden whole. */
const deepest = 8

/** Fixed words of the event types: a password that happens to be one of them must not change what an event means. */
const fixedWords: ReadonlySet<string> = new Set(['type', 'outcome', 'level', 'stream', 'unit', 'severity'])

/** The one place where secrets are taken out of what kubexm tells: it knows their values as they come into use, and what secrets look like. */
export class Redactor {
  readonly #values = new Set<string>()
  readonly #index = new SecretIndex()
  #remembered = new Map<string, string>()
  #errors = new WeakMap<Error, Error>()
  readonly #insideKey = new Set<string>()

  constructor(secrets: Iterable<string | Secret> = []) {
    for (const secret of secrets) this.add(secret)
  }

  /** From now on this value is hidden, in whatever form it is written. */
  add(secret: string | Secret): void {
    const value = secret instanceof Secret ? secret.reveal() : secret
    if (value.length < shortest || this.#values.has(value)) return
    this.#values.add(value)
    // A secret read from a file ends with a line break that it is not used with.
    for (const form of new Set([value, value.trim()])) if (form.length >= shortest) this.#index.add(form)
    this.#remembered = new Map()
    this.#errors = new WeakMap()
  }

  /** A text without secrets. */
  text(text: string): string {
    const before = this.#remembered.get(text)
    if (before !== undefined) return before
    const result = hideSuspicious(this.#index.hide(text))
    if (text.length <= longestRemembered) {
      if (this.#remembered.size >= mostRemembered) this.#remembered.clear()
      this.#remembered.set(text, result)
    }
    return result
  }

  /** An event without secrets; the same object when it holds none. */
  event(event: RunEvent): RunEvent {
    if (event.type === 'step.line') return this.#line(event)
    return this.#members(event, true)
  }

  /** An error without secrets in its parameters, what was seen, its fix, its place and its causes. */
  error(error: KubexmError): KubexmError {
    return this.#anyError(error) as KubexmError
  }

  /** Output comes line by line: what lies between the marks of a private key is hidden though each line alone looks harmless. */
  #line(event: Extract<RunEvent, { type: 'step.line' }>): RunEvent {
    const source = `${event.pipelineId} ${event.task} ${event.step} ${event.host} ${event.stream}`
    const edge = privateKeyEdge(event.line)
    const inside = this.#insideKey.has(source)
    if (edge === 'begins') this.#insideKey.add(source)
    if (edge === 'ends') this.#insideKey.delete(source)
    return this.#members(inside ? { ...event, line: hidden } : event, true)
  }

  #any(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value)
    if (value === null || typeof value !== 'object' || value instanceof Date) return value
    if (value instanceof Error) return this.#anyError(value)
    if (value instanceof Secret || depth > deepest) return hidden
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
    if (!Array.isArray(value)) return this.#members(value, false, depth)
    const items = value.map((item) => this.#any(item, depth + 1))
    return items.some((item, i) => item !== value[i]) ? items : value
  }

  #members<T extends object>(value: T, isEvent: boolean, depth = 0): T {
    let copy: Record<string, unknown> | null = null
    for (const key in value) {
      const member: unknown = value[key]
      if (isEvent && fixedWords.has(key)) continue
      const clean = key === 'finding' && isEvent ? this.#members(member as object, true) : this.#any(member, depth + 1)
      if (clean === member && (isEvent || !this.#hides(key))) continue
      copy ??= { ...(value as Record<string, unknown>) }
      delete copy[key]
      copy[isEvent ? key : this.text(key)] = clean
    }
    return (copy as T | null) ?? value
  }

  /** Remembered, so that one error told twice stays one error; and so that a circle of causes has an end. */
  #anyError(error: Error): Error {
    const before = this.#errors.get(error)
    if (before !== undefined) return before
    this.#errors.set(error, new Error('see above'))
    const clean = error instanceof KubexmError ? this.#kubexmError(error) : this.#foreignError(error)
    this.#errors.set(error, clean)
    this.#errors.set(clean, clean)
    return clean
  }

  #kubexmError(error: KubexmError): KubexmError {
    const params = this.#parameters(error.params)
    const fix = this.text(error.fix)
    const [where, seen, cause] = [this.#any(error.where), this.#any(error.seen), this.#any(error.cause)]
    const same = params === error.params && fix === error.fix && where === error.where && seen === error.seen && cause === error.cause
    if (same && !this.#hides(error.stack)) return error
    const fixIsTheTables = new KubexmError(error.code, error.params).fix === error.fix
    const clean = new KubexmError(error.code, params, {
      where: where as KubexmError['where'],
      ...(typeof seen === 'string' ? { seen } : {}),
      ...(fixIsTheTables ? {} : { fix }),
      cause,
    })
    clean.stack = this.text(error.stack ?? '')
    return clean
  }

  #foreignError(error: Error): Error {
    const own = {
      ...error,
      ...('cause' in error ? { cause: error.cause } : {}),
      ...(error instanceof AggregateError ? { errors: error.errors } : {}),
    }
    const cleanOwn = this.#members(own, false)
    if (cleanOwn === own && !this.#hides(error.message) && !this.#hides(error.stack)) return error
    const clean = Object.assign(new Error(this.text(error.message)), cleanOwn)
    clean.name = error.name
    clean.stack = this.text(error.stack ?? '')
    return clean
  }

  #parameters(params: KubexmError['params']): KubexmError['params'] {
    const clean = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, this.#parameter(value)]))
    return Object.entries(params).some(([name, value]) => value !== clean[name]) ? clean : params
  }

  #parameter(value: string | number): string | number {
    if (typeof value === 'string') return this.text(value)
    return this.#hides(String(value)) ? hidden : value
  }

  #hides(text: string | undefined): boolean {
    return text !== undefined && this.text(text) !== text
  }
}
