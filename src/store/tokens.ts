import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Millis } from '../util/time.ts'
import type { Database } from './database.ts'
import type { TokenRole, TokenTable } from './tables.ts'

/** Who a token stands for. */
export interface TokenOwner {
  readonly id: string
  readonly name: string
  readonly role: TokenRole
  readonly expiresAt: Date | null
}

/** A token as it is listed: what it says is shown once, when it is made. */
export interface ListedToken extends TokenOwner {
  readonly createdAt: Date
  readonly revoked: boolean
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** A token that was just made: what it says is known only now. */
export interface NewToken extends ListedToken {
  readonly value: string
}

/** Makes a token; only its hash is kept. */
export async function createToken(
  { query, now }: Database,
  token: { readonly name: string; readonly role: TokenRole; readonly lifetime: Millis | null },
): Promise<NewToken> {
  const value = `kxt_${randomBytes(32).toString('base64url')}`
  const row = await query
    .insertInto('tokens')
    .values({
      id: randomUUID(),
      name: token.name,
      role: token.role,
      hash: hashOf(value),
      created_at: now,
      expires_at: token.lifetime === null ? null : sql<number>`${now} + ${sql.lit(token.lifetime)}`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ...listed(row), value }
}

/** Who a token stands for; null when it is none, has expired or was revoked. */
export async function ownerOf({ query, now }: Database, token: string): Promise<TokenOwner | null> {
  const row = await query
    .selectFrom('tokens')
    .select(['id', 'name', 'role', 'expires_at'])
    .where('hash', '=', hashOf(token))
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`(expires_at IS NULL OR expires_at > ${now})`)
    .executeTakeFirst()
  return row === undefined ? null : { id: row.id, name: row.name, role: row.role, expiresAt: timeOf(row.expires_at) }
}

/** All tokens, newest first. */
export async function listTokens({ query }: Database): Promise<readonly ListedToken[]> {
  return (await query.selectFrom('tokens').selectAll().orderBy('created_at', 'desc').orderBy('id').execute()).map(listed)
}

/** Whether there is a token that still counts. */
export async function hasTokens({ query, now }: Database): Promise<boolean> {
  const row = await query
    .selectFrom('tokens')
    .select('id')
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`(expires_at IS NULL OR expires_at > ${now})`)
    .executeTakeFirst()
  return row !== undefined
}

const timeOf = (value: number | null): Date | null => (value === null ? null : new Date(value))

const listed = ({ id, name, role, created_at, expires_at, revoked_at }: Selectable<TokenTable>): ListedToken => ({
  id,
  name,
  role,
  createdAt: new Date(created_at),
  expiresAt: timeOf(expires_at),
  revoked: revoked_at !== null,
})

/** Takes a token back; false when there is none with this id that still counts. */
export async function revokeToken({ query, now }: Database, id: string): Promise<boolean> {
  const row = await query
    .updateTable('tokens')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
