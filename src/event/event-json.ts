import { codes, KubexmError } from '../error/index.ts'
import type { Json } from '../util/json.ts'
import type { RunEvent } from './event.ts'

type JsonObject = { readonly [key: string]: Json }

/** An event as one JSON object: what `-o json` prints, event records hold and the job service streams. Field names are stable. */
export function eventToJson(event: RunEvent): JsonObject {
  const { type, at, ...rest } = event
  return { type, at: at.toISOString(), ...plainMembers(rest) }
}

/** The event that `eventToJson` was given. */
export function eventFromJson(json: JsonObject): RunEvent {
  const event: Record<string, unknown> = { ...json, at: new Date(String(json.at)) }
  if (isObject(json.error)) event.error = errorFromJson(json.error)
  if (Array.isArray(json.errors)) event.errors = json.errors.filter(isObject).map(errorFromJson)
  return event as unknown as RunEvent
}

/** An error as JSON: `code`, `problem`, `fix`, `where`, `seen`, and what is needed to make it again. */
export function errorToJson(error: KubexmError, depth = 0): JsonObject {
  const { problem, fix } = error.text('en')
  const cause = causeToJson(error.cause, depth)
  return {
    code: error.code,
    problem,
    fix,
    where: plainMembers(error.where),
    seen: error.seen,
    params: error.params,
    retryable: error.retryable,
    ...(cause === null ? {} : { cause }),
  }
}

/** The error that `errorToJson` was given; one of a version that knew other codes keeps its words. */
export function errorFromJson(json: JsonObject): KubexmError {
  const params = isObject(json.params) ? (json.params as KubexmError['params']) : {}
  const circumstances = {
    ...(isObject(json.where) ? { where: json.where as KubexmError['where'] } : {}),
    ...(typeof json.seen === 'string' ? { seen: json.seen } : {}),
    ...(isObject(json.cause) ? { cause: causeFromJson(json.cause) } : {}),
  }
  const fix = typeof json.fix === 'string' ? { fix: json.fix } : {}
  const code = json.code
  if (typeof code !== 'string' || !isCode(code)) {
    const unknown = { title: String(code), why: String(json.problem) }
    return new KubexmError('KX_STEP_FAILED', unknown, { ...circumstances, ...fix })
  }
  const error = new KubexmError(code, params, circumstances)
  return error.fix === json.fix ? error : new KubexmError(code, params, { ...circumstances, ...fix })
}

/** Causes go down to this depth; a deeper one would be noise, and a circle must end. */
const deepest = 8

function causeToJson(cause: unknown, depth = 0): JsonObject | null {
  if (cause === undefined || cause === null || depth > deepest) return null
  if (cause instanceof KubexmError) return errorToJson(cause, depth + 1)
  if (!(cause instanceof Error)) return { name: 'Error', message: String(cause) }
  const inner = causeToJson(cause.cause, depth + 1)
  const code = 'code' in cause && typeof cause.code === 'string' ? { code: cause.code } : {}
  return { name: cause.name, message: cause.message, ...code, ...(inner === null ? {} : { cause: inner }) }
}

function causeFromJson(json: JsonObject): Error {
  if ('problem' in json) return errorFromJson(json)
  const cause = isObject(json.cause) ? { cause: causeFromJson(json.cause) } : undefined
  const error = new Error(String(json.message), cause)
  if (json.name !== error.name) error.name = String(json.name)
  return typeof json.code === 'string' ? Object.assign(error, { code: json.code }) : error
}

function plainMembers(value: object): JsonObject {
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([key, member]) => [key, plain(member)]))
}

function plain(value: unknown): Json {
  if (value instanceof KubexmError) return errorToJson(value)
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object' && value !== null) return plainMembers(value)
  return value as Json
}

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
const isCode = (code: string): code is keyof typeof codes => Object.hasOwn(codes, code)
