import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { resolve as resolvePath } from 'node:path'
import { inspect } from 'node:util'
import { fail } from '../error/index.ts'

/** What is written in place of a secret. */
export const masked = '***'

/** Where a secret comes from. A literal stands in the file; `redacted` is a `***` that kubexm put in place of one. */
export type SecretReference =
  | { readonly kind: 'literal' }
  | { readonly kind: 'redacted' }
  | { readonly kind: 'env'; readonly name: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'prompt'; readonly question: string }

/** Asks the person at the terminal; null where there is none. */
export type Ask = (question: string) => Promise<string | null>

interface Surroundings {
  readonly ask?: Ask
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The directory a relative path starts from: that of the config file. */
  readonly directory?: string
}

/** A password, key or token. It prints as `***` everywhere and gives its value only when asked, at the last moment. */
export class SecretSource {
  readonly reference: SecretReference
  readonly #literal: string | null
  readonly #directory: string

  constructor(reference: SecretReference, literal: string | null = null, directory = '.') {
    this.reference = reference
    this.#literal = literal
    this.#directory = directory
    Object.freeze(this)
  }

  /** A secret that stands in the file itself. */
  static literal(value: string): SecretSource {
    return value === masked ? new SecretSource({ kind: 'redacted' }) : new SecretSource({ kind: 'literal' }, value)
  }

  /** The same secret, its relative path taken from a directory. */
  from(directory: string): SecretSource {
    return new SecretSource(this.reference, this.#literal, directory)
  }

  /** The value, or an error that says what to set. */
  async resolve({ ask, env = process.env, directory = this.#directory }: Surroundings = {}): Promise<string> {
    const { reference } = this
    if (reference.kind === 'literal') return this.#literal ?? ''
    if (reference.kind === 'env') {
      const value = env[reference.name]
      if (value === undefined || value === '')
        throw missing(`in the environment variable ${reference.name}`, `export ${reference.name}, then run the command again`)
      return value
    }
    if (reference.kind === 'file') return readSecret(reference.path, directory)
    if (reference.kind === 'redacted')
      throw missing('that the config shows as ***', 'put the secret into the config, best as env: NAME or file: PATH')
    const answer = (await ask?.(reference.question)) ?? null
    if (answer === null)
      throw missing(`to the question "${reference.question}"`, 'run in a terminal, or give the secret as env: NAME or file: PATH')
    return answer
  }

  toString(): string {
    return masked
  }

  toJSON(): string {
    return masked
  }

  [inspect.custom](): string {
    return masked
  }
}

const missing = (what: string, how: string, cause?: unknown) => fail('KX_SECRET_MISSING', { what, how }, { cause })

async function readSecret(path: string, directory: string): Promise<string> {
  const file = path.startsWith('~/') ? resolvePath(homedir(), path.slice(2)) : resolvePath(directory, path)
  try {
    // Editors end a file with a line break that is no part of a password.
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '')
  } catch (cause) {
    throw missing(`in the file ${file}`, `write the secret into ${file}, readable by this user only`, cause)
  }
}

/** Whether a key of a config names a secret; used where there is no schema to ask. */
export const isSecretKey = (key: string): boolean =>
  /(password|passphrase|secretkey|secretaccesskey|token|privatekey|encryptionkey|^auth)$/i.test(key)
