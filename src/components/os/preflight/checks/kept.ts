import { type Cluster, type Membership, movedFields, placeOfField } from '../../../../config/index.ts'
import { type Finding, finding } from '../../../../event/index.ts'
import type { StepContext } from '../../../../runtime/index.ts'
import { defineCheck } from '../../../../step/index.ts'
import { sha256 } from '../../../../util/hash.ts'
import { seconds } from '../../../../util/time.ts'
import type { HostName } from '../../../../util/where.ts'
import { sightOfPeer } from './sight.ts'

interface Said extends Membership {
  readonly host: HostName
}

/** Cannot be left out with the rest of preflight: what it finds would break a cluster that works. */
export const keptFields = defineCheck({
  name: 'preflight.kept-fields',
  title: 'Check that what the cluster keeps for life is as the cluster has it',
  timeout: seconds(30),
  check: async (ctx): Promise<readonly Finding[]> => {
    const said = (await Promise.all(ctx.hosts.map(({ name }) => saidBy(ctx, name)))).filter((one) => one !== null)
    const own = said.filter(({ cluster }) => cluster === ctx.cluster.metadata.name)
    return [
      ...otherClusters(
        ctx.cluster,
        said.filter((one) => !own.includes(one)),
      ),
      ...(await otherAuthority(ctx, own)),
      ...moved(ctx.cluster, own),
    ]
  },
})

/** What a host says of its cluster; null where it is in none, or could not be looked at, which its own checks tell. */
async function saidBy(ctx: StepContext, host: HostName): Promise<Said | null> {
  const membership = (await sightOfPeer(ctx, host))?.membership
  if (membership === undefined || membership.code !== 0) return null
  try {
    return { host, ...(JSON.parse(membership.stdout) as Membership) }
  } catch {
    // Torn by a power loss or written by somebody: as good as none, and written anew.
    return null
  }
}

const namesOf = (said: readonly Said[]): string => said.map(({ host }) => host).join(', ')

const otherClusters = (cluster: Cluster, said: readonly Said[]): readonly Finding[] =>
  [...Map.groupBy(said, (one) => one.cluster)].map(([seen, hosts]) =>
    finding(
      'KX_OTHER_CLUSTER',
      { hosts: namesOf(hosts), seen, wanted: cluster.metadata.name, place: placeOfField(cluster, ['metadata', 'name']) },
      'error',
    ),
  )

async function otherAuthority({ cluster, paths, pki }: StepContext, said: readonly Said[]): Promise<readonly Finding[]> {
  if (said.length === 0) return []
  const own = (await pki.exists()) ? sha256((await pki.authority('kubernetes')).cert) : null
  const others = said.filter(({ authority }) => authority !== own)
  if (others.length === 0) return []
  return [finding('KX_OTHER_AUTHORITY', { hosts: namesOf(others), cluster: cluster.metadata.name, directory: paths.root }, 'error')]
}

/** Every field once, with what the hosts say the cluster has; where they disagree, with who says what. */
function moved(cluster: Cluster, said: readonly Said[]): readonly Finding[] {
  const all = said.flatMap((one) => movedFields(cluster, one).map((field) => ({ ...field, host: one.host })))
  return [...Map.groupBy(all, ({ field, seen }) => `${field} ${seen}`).values()].flatMap((alike) => {
    const [first] = alike
    if (first === undefined) return []
    const { field, place, wanted, seen, how } = first
    const who = alike.length === said.length ? '' : ` (${alike.map(({ host }) => host).join(', ')})`
    return [finding('KX_KEPT_FIELD', { field, place, wanted, seen: `${seen}${who}`, how }, 'error')]
  })
}
