import { etcdClientUrl, etcdUrls, hostLayout, hostsOf } from '../../../config/index.ts'
import { fail } from '../../../error/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { archiveMark, installArchive } from '../../../step/generic/archive.ts'
import { authorityPaths, certificatePaths, placeAuthority, placeCertificates } from '../../../step/generic/certificate.ts'
import { etcdLog, etcdService, unhealthyMembers } from '../../../step/generic/etcd.ts'
import { makeDirectory, writeFile } from '../../../step/generic/file.ts'
import { launchService, refreshService } from '../../../step/generic/service.ts'
import { makeSystemUser } from '../../../step/generic/user.ts'
import { composeStep, waitStep } from '../../../step/index.ts'
import { minutes, seconds } from '../../../util/time.ts'
import {
  bootstrapEnvironment,
  bootstrapFile,
  dataDirectories,
  etcdctlEnvironment,
  etcdUnit,
  etcdUser,
  type MemberFiles,
  memberCommand,
} from './templates.ts'

const unitFile = `/etc/systemd/system/${etcdService}`

const files: MemberFiles = {
  authority: authorityPaths('etcd', 'etcd-member').cert,
  server: certificatePaths('etcd-server'),
  peer: certificatePaths('etcd-peer'),
  admin: certificatePaths('etcd-admin'),
}

/** Everything a member needs, and nothing that runs: what a running one has to do with new files is decided later. */
export const installEtcd = composeStep({
  name: 'etcd.install',
  title: 'Install etcd',
  timeout: minutes(10),
  ops: async (ctx) => {
    const { cluster, host } = ctx
    const owner = `${etcdUser}:${etcdUser}`
    return [
      // As long as its data is there, so is its owner: another one who got its number would own them.
      makeSystemUser({ name: etcdUser, home: cluster.spec.etcd.dataDir, data: true }),
      await programs(ctx),
      ...dataDirectories(cluster).map((path) => makeDirectory({ path, mode: '0700', owner, contents: 'ours', data: true })),
      ...(await placeAuthority(ctx, 'etcd', { withKey: false, reader: 'etcd-member' })),
      ...(await placeCertificates(ctx, ['etcd-server', 'etcd-peer'], { owner })),
      ...(await placeCertificates(ctx, ['etcd-admin'])),
      writeFile({ path: `${hostLayout.etcd}/etcdctl.env`, content: etcdctlEnvironment(etcdUrls(cluster), files) }),
      writeFile({ path: bootstrapFile, content: bootstrapEnvironment(cluster, host) }),
      writeFile({ path: unitFile, content: etcdUnit(memberCommand(cluster, host, files), dataDirectories(cluster)) }),
    ]
  },
})

async function programs(ctx: StepContext) {
  const { artifact, path, sha256 } = await ctx.artifacts.get('etcd')
  const members = 'file' in artifact ? artifact.file.programs : []
  return installArchive({ name: 'etcd', from: path, sha256, into: hostLayout.programs, members, strip: 1 })
}

/**
 * What a running member does not notice by itself: its arguments, its program, its authority. Its own certificates it reads again at
 * every handshake, and how the cluster was formed it never reads again.
 */
const service = { unit: etcdService, files: [unitFile, archiveMark(hostLayout.programs, 'etcd'), files.authority] }

export const startEtcd = composeStep({
  name: 'etcd.start',
  title: 'Start etcd',
  timeout: minutes(3),
  ops: () => [launchService(service)],
})

export const refreshEtcd = composeStep({
  name: 'etcd.refresh',
  title: 'Restart etcd if its settings have changed',
  timeout: minutes(3),
  ops: () => [refreshService(service)],
})

/** What a member itself says to a read that takes a majority. */
export const etcdAnswers = waitStep({
  name: 'etcd.answers',
  title: 'Wait for etcd to answer a quorum read',
  timeout: seconds(90),
  every: seconds(0.5),
  until: async (ctx) => (await unhealthyMembers(ctx, [ownUrl(ctx)]))[0]?.why ?? null,
  orElse: async (ctx, why) => fail('KX_ETCD_MEMBER', { member: ctx.host.name, why }, { seen: await etcdLog(ctx) }),
})

/** The door between two restarts: nobody else may be away while a member is. */
export const etcdWhole = waitStep({
  name: 'etcd.whole',
  title: 'Wait for all etcd members',
  timeout: minutes(3),
  every: seconds(0.5),
  until: async (ctx) => {
    const away = await unhealthyMembers(ctx, etcdUrls(ctx.cluster))
    return away.length === 0 ? null : away.map(({ endpoint, why }) => `${memberAt(ctx, endpoint)}: ${why}`).join('; ')
  },
  orElse: async (ctx, members) => fail('KX_ETCD_NOT_WHOLE', { members }, { seen: await etcdLog(ctx) }),
})

const ownUrl = ({ cluster, host }: StepContext): string => etcdClientUrl(cluster, host)

/** The member behind a URL; the URL itself where the config has none. */
const memberAt = ({ cluster }: StepContext, endpoint: string): string =>
  hostsOf(cluster).find((host) => endpoint === etcdClientUrl(cluster, host))?.name ?? endpoint
