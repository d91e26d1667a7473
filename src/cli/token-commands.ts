import { type Command, InvalidArgumentError } from 'commander'
import { createToken, type Jobs, listTokens, openJobs, recordAudit, revokeToken } from '../app/jobs/index.ts'
import { fail } from '../error/index.ts'
import { parseDuration } from '../util/duration.ts'
import { examples } from './cluster-commands.ts'
import { oneOf } from './cluster-options.ts'
import { personName } from './person.ts'
import { table } from './table.ts'

const roles = ['viewer', 'operator', 'admin'] as const

interface Place {
  readonly directory: string
  readonly output: 'text' | 'json'
}

/** `token create`, `token list`, `token revoke`: on the job database itself, since the first token must come from somewhere. */
export function registerTokenCommands(program: Command): void {
  const token = program.command('token').description('make, list and revoke tokens for the API server')
  const place = (command: Command): Command =>
    command
      .option('--directory <directory>', 'where .kubexm and in it the job database is (KUBEXM_DATABASE_URL names another)', process.cwd())
      .option('-o, --output <format>', 'text or json', oneOf('text', 'json'), 'text')

  place(token.command('create'))
    .description('make a token; it is shown this once')
    .requiredOption('--name <name>', 'whom it is for')
    .option('--role <role>', roles.join(', '), oneOf(...roles), 'viewer')
    .option('--expires <duration>', 'how long it counts, such as 30d or 12h; for ever without it', duration)
    .addHelpText('after', examples('token create --name ci --role operator --expires 90d'))
    .action(
      async ({ directory, output, name, role, expires }: Place & { name: string; role: (typeof roles)[number]; expires?: number }) => {
        await using jobs = await openJobs({ directory })
        const { value, ...made } = await createToken(jobs.database, { name, role, lifetime: expires ?? null })
        await audit(jobs, 'create token', `${name} (${made.id}, ${role})`)
        process.stdout.write(output === 'json' ? `${JSON.stringify({ ...made, token: value }, null, 2)}\n` : `${value}\n`)
      },
    )
  place(token.command('list'))
    .description('list tokens; what they say is not kept')
    .action(async ({ directory, output }: Place) => {
      await using jobs = await openJobs({ directory })
      const found = await listTokens(jobs.database)
      process.stdout.write(output === 'json' ? `${JSON.stringify(found, null, 2)}\n` : tokenTable(found))
    })
  place(token.command('revoke <id>'))
    .description('take a token back')
    .action(async (id: string, { directory }: Place) => {
      await using jobs = await openJobs({ directory })
      if (!(await revokeToken(jobs.database, id))) throw fail('KX_TOKEN_UNKNOWN', { id })
      await audit(jobs, 'revoke token', id)
      process.stdout.write(`token ${id} is revoked\n`)
    })
}

const tokenTable = (tokens: Awaited<ReturnType<typeof listTokens>>): string =>
  table([
    ['ID', 'NAME', 'ROLE', 'CREATED', 'EXPIRES'],
    ...tokens.map(({ id, name, role, createdAt, expiresAt, revoked }) => [
      id,
      name,
      role,
      createdAt.toISOString(),
      revoked ? 'revoked' : (expiresAt?.toISOString() ?? 'never'),
    ]),
  ])

/** Tokens are handed out from here too: the audit log has to know. */
const audit = ({ database }: Jobs, action: string, target: string): Promise<void> =>
  recordAudit(database, { who: personName(), action, target, origin: 'command line', outcome: 'done' })

/** An option's value as a duration. */
export function duration(text: string): number {
  const ms = parseDuration(text)
  if (ms === null) throw new InvalidArgumentError('it must be a duration, such as 30d or 12h')
  return ms
}
