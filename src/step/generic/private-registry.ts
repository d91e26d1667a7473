import type { Cluster, SecretSource } from '../../config/index.ts'
import { privateRegistryOf } from '../../resource/index.ts'
import type { StepContext } from '../../runtime/index.ts'
import { Secret } from '../../util/secret.ts'

/** Who one is to a registry. */
interface RegistryLogin {
  readonly username: string
  readonly password: Secret
}

/** Whether kubexm runs the private registry: then it is vouched for by our authority, and holds every image of the cluster. */
export const runsRegistry = ({ spec }: Cluster): boolean => spec.registry.type === 'registry' || spec.registry.type === 'harbor'

/** How to log in to the private registry: as the config says; to one that kubexm runs, as a user of its own. Null where nobody has to. */
export async function privateRegistryLogin(ctx: StepContext): Promise<RegistryLogin | null> {
  const given = await loginOf(ctx, authOf(ctx.cluster))
  if (given !== null || ctx.cluster.spec.registry.type !== 'registry') return given
  return { username: 'kubexm', password: await ctx.pki.password('registry') }
}

/** What the config says about the private registry, by its name with its port or without. */
function authOf(cluster: Cluster): Login | undefined {
  const name = privateRegistryOf(cluster) ?? ''
  const { auths } = cluster.spec.registry
  return auths[name] ?? auths[name.replace(/:\d+$/, '')]
}

interface Login {
  readonly username?: string | undefined
  readonly password?: SecretSource | undefined
  /** Both in one, as Docker keeps them: base64 of `user:password`. */
  readonly auth?: SecretSource | undefined
}

/** A login as it stands in the config. */
async function loginOf(ctx: StepContext, login: Login | undefined): Promise<RegistryLogin | null> {
  if (login?.username !== undefined && login.password !== undefined)
    return { username: login.username, password: await ctx.reveal(login.password) }
  if (login?.auth === undefined) return null
  const [username = '', ...password] = Buffer.from((await ctx.reveal(login.auth)).reveal(), 'base64')
    .toString()
    .split(':')
  return { username, password: new Secret(password.join(':')) }
}

/** The certificate that vouches for the private registry; null where it is not ours to say. */
export const privateRegistryAuthority = async (ctx: StepContext): Promise<string | null> =>
  runsRegistry(ctx.cluster) ? (await ctx.pki.authority('kubernetes')).cert : null
