import { createHash } from 'node:crypto'
import { canonicalJson, type Json } from './json.ts'

/** Lower-case hex sha256 of text or bytes. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

/** Stable sha256 of a JSON value: key order does not matter. */
export const hashOf = (value: Json): string => sha256(canonicalJson(value))
