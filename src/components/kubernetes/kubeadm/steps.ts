import { apiUrlFor, type Cluster, hostLayout } from '../../../config/index.ts'
import { type KubeadmTraits, kubeadmTraits } from '../../../manifest/index.ts'
import { leaves } from '../../../pki/index.ts'
import type { Runner } from '../../../runner/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import {
  authorityPaths,
  kubeconfigPath,
  placeAuthority,
  placeCertificates,
  placeEtcdAccess,
  placeServiceAccountKeys,
} from '../../../step/generic/certificate.ts'
import { makeDirectory, uploadFile, writeFile } from '../../../step/generic/file.ts'
import { type FoundNode, kubeadmNode, programData } from '../../../step/generic/kubeadm.ts'
import { isNodeReady, nodeRegistered, withDiscovery } from '../../../step/generic/kubeadm-join.ts'
import { runKubeadm } from '../../../step/generic/kubeadm-run.ts'
import { kubeadmFiles, kubeadmSettings } from '../../../step/generic/kubeadm-settings.ts'
import { apiServerNotReady } from '../../../step/generic/kubernetes.ts'
import { enableService } from '../../../step/generic/service.ts'
import { leaveStackedEtcd } from '../../../step/generic/stacked-etcd.ts'
import { composeStep, type Op, type Step, waitStep } from '../../../step/index.ts'
import { minutes } from '../../../util/time.ts'
import { kubeadmDropIn, kubeletUnit, skippedOnChange, skippedOnInit, skippedOnJoin, withServer } from './templates.ts'

const { programs, kubernetes, kubernetesPki, staticPods, kubelet, adminKubeconfig } = hostLayout
const kubeletKubeconfig = kubeconfigPath('kubelet')
const bootstrapKubeconfig = `${kubernetes}/bootstrap-kubelet.conf`
const apiServerPod = `${staticPods}/kube-apiserver.yaml`
const etcdPod = `${staticPods}/etcd.yaml`

const isMaster = ({ host }: StepContext): boolean => host.roles.includes('master')
const runsEtcd = (ctx: StepContext): boolean => isMaster(ctx) && ctx.cluster.spec.etcd.type === 'kubeadm'

export const installPrograms = composeStep({
  name: 'kubeadm.install',
  title: 'Install kubeadm, the kubelet and kubectl',
  timeout: minutes(15),
  sideBySide: true,
  ops: (ctx) =>
    Promise.all(
      ['kubeadm', 'kubelet', 'kubectl'].map(async (name) => {
        const { path, sha256: hash } = await ctx.artifacts.get(name)
        return uploadFile({ path: `${programs}/${name}`, from: path, sha256: hash, mode: '0755' })
      }),
    ),
})

export const prepareKubelet = composeStep({
  name: 'kubeadm.kubelet',
  title: 'Prepare the kubelet for kubeadm',
  timeout: minutes(1),
  ops: (ctx) => [
    makeDirectory({ path: kubelet, mode: '0750', contents: 'ours' }),
    makeDirectory({ path: staticPods }),
    // Pods of the control plane are shown this, and it is made for them where there is none.
    ...(isMaster(ctx) ? [unlessThere(makeDirectory({ path: '/etc/ssl/certs' }))] : []),
    writeFile({ path: '/etc/systemd/system/kubelet.service', content: kubeletUnit(`${programs}/kubelet`) }),
    writeFile({
      path: '/etc/systemd/system/kubelet.service.d/10-kubeadm.conf',
      content: kubeadmDropIn(`${programs}/kubelet`, { bootstrapKubeconfig, kubeconfig: kubeletKubeconfig, directory: kubelet }),
    }),
    enableService('kubelet.service'),
  ],
})

/** A directory of others stays as they have it, be it a link. */
const unlessThere = (directory: Op): Op => ({ ...directory, isDone: (state) => (state as { readonly type: string }).type !== 'absent' })

const certificates = [
  'apiserver',
  'apiserver-kubelet-client',
  'front-proxy-client',
  'stacked-etcd-server',
  'stacked-etcd-peer',
  'stacked-etcd-healthcheck-client',
  'kubelet-server',
] as const

export const placeKubeadmCertificates = composeStep({
  name: 'kubeadm.certificates',
  title: 'Place the certificates and keys kubeadm is to use',
  timeout: minutes(2),
  sideBySide: true,
  ops: async (ctx) => {
    const own = placeCertificates(
      ctx,
      certificates.filter((id) => leaves[id].isFor(ctx.cluster, ctx.host)),
    )
    if (!isMaster(ctx)) return own
    const placed = await Promise.all([
      own,
      placeAuthority(ctx, 'kubernetes', { withKey: true }),
      placeAuthority(ctx, 'front-proxy', { withKey: true }),
      placeEtcdAccess(ctx, { withKey: runsEtcd(ctx) }),
      placeServiceAccountKeys(ctx),
    ])
    return placed.flat()
  },
})

export const configureKubeadm = composeStep({
  name: 'kubeadm.configure',
  title: 'Write what kubeadm is told',
  timeout: minutes(1),
  ops: async (ctx) => (await kubeadmSettings(ctx)).files,
})

/** The kubeconfigs that kubeadm makes for the endpoint, and the host uses for the API it is to ask. */
const ownKubeconfigs = (ctx: StepContext): readonly string[] => [kubeletKubeconfig, ...(isMaster(ctx) ? [adminKubeconfig] : [])]

/** The host as a node that kubeadm makes, with the data of its etcd where it has one. */
async function nodeOps(
  ctx: StepContext,
  does: string,
  make: (on: Runner, ctx: StepContext, found: FoundNode) => Promise<void>,
  until: 'started' | 'whole' = 'whole',
): Promise<readonly Op[]> {
  const { dataDir } = ctx.cluster.spec.etcd
  const { hash } = await kubeadmSettings(ctx)
  return [
    ...(runsEtcd(ctx)
      ? [makeDirectory({ path: dataDir, mode: '0700', contents: 'ours', data: true }), programData({ path: dataDir, sign: 'member' })]
      : []),
    kubeadmNode({
      does,
      until,
      madeWith: hash,
      directories: [kubernetes, kubernetesPki, staticPods, kubelet],
      needs: [...(isMaster(ctx) ? [apiServerPod] : []), ...(runsEtcd(ctx) ? [etcdPod] : [])],
      says: ownKubeconfigs(ctx).map((path) => ({ path, text: `server: ${apiUrlFor(ctx.cluster, ctx.host)}` })),
      passing: [bootstrapKubeconfig, kubeconfigPath('joiner')],
      make,
    }),
  ]
}

export const initFirstMaster = composeStep({
  name: 'kubeadm.init',
  title: 'Make the first control plane with kubeadm',
  timeout: minutes(15),
  ops: (ctx) =>
    nodeOps(ctx, 'make the control plane with kubeadm', async (on, now, found) => {
      const begun = found.has(adminKubeconfig)
      const skipped = skippedOnInit({ begun, kubeProxy: now.cluster.spec.kubernetes.proxyMode !== 'none' })
      await runKubeadm(on, now.on, 'init', `--config=${kubeadmFiles.init}`, `--skip-phases=${skipped.join(',')}`, '--skip-token-print')
      await turnHome(on, now, found)
    }),
})

const starting = composeStep({
  name: 'kubeadm.start',
  title: 'Start the control plane of a master that joins',
  timeout: minutes(15),
  ops: (ctx) => nodeOps(ctx, 'start the control plane with kubeadm', start, 'started'),
})

const joining = composeStep({
  name: 'kubeadm.join',
  title: 'Join the cluster with kubeadm',
  timeout: minutes(15),
  ops: (ctx) => nodeOps(ctx, 'join the cluster with kubeadm', join),
})

const traitsOf = ({ cluster }: { readonly cluster: Cluster }): KubeadmTraits => kubeadmTraits(cluster.spec.kubernetes.version)

/** Whether a master is started first, and joins what is started. */
export const startsFirst = (ctx: { readonly cluster: Cluster }): boolean => traitsOf(ctx).waitingPhases.length > 0

/** A join as far as it goes without the API server of the host: that one is up sooner than a kubelet asks for it a third time. */
async function start(on: Runner, ctx: StepContext, found: FoundNode): Promise<void> {
  await withDiscovery(on, ctx, (api) => runJoin(on, ctx, found, { api, without: traitsOf(ctx).waitingPhases }))
  await turnAdmin(on, ctx, apiUrlFor(ctx.cluster, ctx.host))
}

async function join(on: Runner, ctx: StepContext, found: FoundNode): Promise<void> {
  if (found.madeWith !== null && found.has(kubeletKubeconfig)) return takeOver(on, ctx, found)
  // Told of etcd again, kubeadm would write the members of today into its pod, which would start anew on all masters at once.
  const without = isMaster(ctx) && startsFirst(ctx) ? ['etcd-join'] : []
  await withDiscovery(on, ctx, async (api) => {
    await runJoin(on, ctx, found, { api, without })
    await nodeRegistered(ctx)
  })
  await turnAdmin(on, ctx, apiUrlFor(ctx.cluster, ctx.host))
  await turnHome(on, ctx, found)
}

/** Whether a join left something that kubeadm would take for a node of others. */
function isBegun(ctx: StepContext, found: FoundNode): boolean {
  const left = [kubeletKubeconfig, bootstrapKubeconfig, isMaster(ctx) ? adminKubeconfig : authorityPaths('kubernetes').cert]
  return left.some((path) => found.has(path))
}

interface JoinOptions {
  readonly api: string
  readonly without: readonly string[]
}

async function runJoin(on: Runner, ctx: StepContext, found: FoundNode, { api, without }: JoinOptions): Promise<void> {
  await turnAdmin(on, ctx, api)
  const begun = isBegun(ctx, found)
  const ready = begun && (await isNodeReady(ctx))
  const skipped = new Set([...skippedOnJoin({ begun, ready }, traitsOf(ctx).bootstrapPhases), ...without])
  const options = skipped.size === 0 ? [] : [`--skip-phases=${[...skipped].join(',')}`]
  await runKubeadm(on, ctx.on, 'join', `--config=${kubeadmFiles.join}`, ...options)
}

/** As administrator kubeadm asks the endpoint, which is this master itself, not yet up; a kubeconfig that is there it takes as it is. */
async function turnAdmin(on: Runner, ctx: StepContext, api: string): Promise<void> {
  if (isMaster(ctx)) await on.files.write(adminKubeconfig, await ctx.pki.kubeconfig('admin', ctx.host.name, api), { mode: '0600' })
}

/** Lets a node that is there go by other settings than it was made with. */
async function takeOver(on: Runner, ctx: StepContext, found: FoundNode): Promise<void> {
  if (isMaster(ctx)) await runKubeadm(on, ctx.on, 'init', `--config=${kubeadmFiles.init}`, `--skip-phases=${skippedOnChange.join(',')}`)
  else await runKubeadm(on, ctx.on, 'upgrade node phase kubelet-config', `--patches=${kubeadmFiles.patches}`)
  await turnHome(on, ctx, found)
}

/**
 * Turns the kubeconfigs kubeadm made to the API this host is to use: a master to its own API server, others to the endpoint. Where the
 * kubelet had one before, it may have been turned without the kubelet noticing.
 */
async function turnHome(on: Runner, ctx: StepContext, before: FoundNode): Promise<void> {
  const url = apiUrlFor(ctx.cluster, ctx.host)
  let restart = before.has(kubeletKubeconfig)
  for (const path of ownKubeconfigs(ctx)) {
    const text = (await ctx.on.files.read(path)) ?? ''
    if (withServer(text, url) === text) continue
    await on.files.edit(path, (now) => withServer(now, url))
    if (path === kubeletKubeconfig) restart = true
  }
  if (restart) await on.services.restart('kubelet.service')
}

/** A member of etcd that is gone but still counted takes a vote from the others: one that is taken back leaves first. */
const leavingEtcd = (step: Step, tookPart: (ctx: StepContext) => boolean): Step => ({
  ...step,
  rollback: async (ctx, input, receipts) => {
    const [pod] = await ctx.on.inspect([{ kind: 'file', path: etcdPod }])
    if (receipts.length > 0 && pod.type === 'file' && tookPart(ctx)) await leaveStackedEtcd(ctx.on, ctx)
    if (typeof step.rollback === 'function') await step.rollback(ctx, input, receipts)
  },
})

export const startControlPlane = leavingEtcd(starting, () => true)
export const joinCluster = leavingEtcd(joining, (ctx) => !startsFirst(ctx))

export const apiServerAnswers = waitStep({
  name: 'kubeadm.api-server',
  title: 'Wait for the API server to be ready',
  timeout: minutes(3),
  every: 500,
  until: apiServerNotReady,
})
