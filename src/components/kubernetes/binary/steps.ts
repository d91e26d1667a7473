import { hostLayout } from '../../../config/index.ts'
import {
  kubeletConfiguration,
  kubeletRoot,
  kubeProxyConfiguration,
  nodeTaints,
  rotatesServingCertificates,
} from '../../../manifest/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { apiServerFiles } from '../../../step/generic/api-server-files.ts'
import {
  authorityPaths,
  certificatePaths,
  etcdAccess,
  kubeconfigPath,
  placeAuthority,
  placeCertificates,
  placeEtcdAccess,
  placeKubeconfig,
  placeServiceAccountKeys,
  serviceAccountKeyPaths,
} from '../../../step/generic/certificate.ts'
import { makeDirectory, uploadFile, writeFile } from '../../../step/generic/file.ts'
import { apiServerNotReady, kubectlApply } from '../../../step/generic/kubernetes.ts'
import { installUnit } from '../../../step/generic/service.ts'
import { composeStep, type Op, waitStep } from '../../../step/index.ts'
import { minutes } from '../../../util/time.ts'
import { toYaml } from '../../../util/yaml.ts'
import {
  apiServerCommand,
  bootstrapBindings,
  controllerManagerCommand,
  kubeletCommand,
  kubeProxyCommand,
  type MasterFiles,
  schedulerCommand,
  type Unit,
  unitOf,
} from './templates.ts'

/** Brings programs to where kubexm installs them. */
const programs = (ctx: StepContext, names: readonly string[]): Promise<readonly Op[]> =>
  Promise.all(
    names.map(async (name) => {
      const { path, sha256 } = await ctx.artifacts.get(name)
      return uploadFile({ path: `${hostLayout.programs}/${name}`, from: path, sha256, mode: '0755' })
    }),
  )

/** The service of a program; it is restarted when one of the files it reads at its start has changed. */
const service = (ctx: StepContext, unit: Omit<Unit, 'version'>, files: readonly string[]): readonly Op[] =>
  installUnit({ name: `${unit.program}.service`, content: unitOf({ ...unit, version: ctx.cluster.spec.kubernetes.version }), files })

export const installControlPlane = composeStep({
  name: 'control-plane.install',
  title: 'Install the API server, the controller manager and the scheduler',
  timeout: minutes(15),
  sideBySide: true,
  ops: (ctx) => programs(ctx, ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl']),
})

export const placeMasterCertificates = composeStep({
  name: 'control-plane.certificates',
  title: 'Place the certificates, keys and kubeconfigs of the control plane',
  timeout: minutes(2),
  ops: async (ctx) => {
    const placed = await Promise.all([
      placeAuthority(ctx, 'kubernetes', { withKey: true }),
      placeAuthority(ctx, 'front-proxy', { withKey: false }),
      placeEtcdAccess(ctx, { withKey: false }),
      placeServiceAccountKeys(ctx),
      placeCertificates(ctx, ['apiserver', 'apiserver-kubelet-client', 'front-proxy-client']),
      ...(['admin', 'controller-manager', 'scheduler'] as const).map(async (id) => [await placeKubeconfig(ctx, id)]),
    ])
    return placed.flat()
  },
})

const masterFiles = (ctx: StepContext): MasterFiles => ({
  authority: authorityPaths('kubernetes'),
  frontProxyAuthority: authorityPaths('front-proxy'),
  serving: certificatePaths('apiserver'),
  kubeletClient: certificatePaths('apiserver-kubelet-client'),
  frontProxyClient: certificatePaths('front-proxy-client'),
  serviceAccount: serviceAccountKeyPaths(),
  etcd: etcdAccess(ctx.cluster, ctx.host),
})

export const runApiServer = composeStep({
  name: 'apiserver.run',
  title: 'Configure and run the API server',
  timeout: minutes(5),
  ops: async (ctx) => {
    const files = masterFiles(ctx)
    const own = await apiServerFiles(ctx)
    const args = apiServerCommand(ctx.cluster, ctx.host, files)
    const writes = own.logs.map(({ id }) => id)
    // Some of its files it reads again by itself when they change, but which of them depends on the version.
    const read = [...own.files.map(({ id }) => id), ...readByApiServer(files)]
    return [...own.logs, ...own.files, ...service(ctx, { program: 'kube-apiserver', args, writes }, read)]
  },
})

const readByApiServer = ({ authority, frontProxyAuthority, serviceAccount, etcd, ...pairs }: MasterFiles): readonly string[] =>
  [authority, frontProxyAuthority, etcd.client, pairs.serving, pairs.kubeletClient, pairs.frontProxyClient]
    .flatMap((pair) => pair?.cert ?? [])
    .concat(etcd.authority ?? [], serviceAccount.key)

export const runControllers = composeStep({
  name: 'controllers.run',
  title: 'Configure and run the controller manager and the scheduler',
  timeout: minutes(2),
  ops: (ctx) => {
    const [manager, scheduler] = [kubeconfigPath('controller-manager'), kubeconfigPath('scheduler')]
    const files = masterFiles(ctx)
    const managerArgs = controllerManagerCommand(ctx.cluster, manager, files)
    return [
      ...service(ctx, { program: 'kube-controller-manager', args: managerArgs }, [manager, files.authority.cert, files.serviceAccount.key]),
      ...service(ctx, { program: 'kube-scheduler', args: schedulerCommand(ctx.cluster, scheduler) }, [scheduler]),
    ]
  },
})

export const apiServerReady = waitStep({
  name: 'apiserver.ready',
  title: 'Wait for the API server to be ready',
  timeout: minutes(3),
  every: 500,
  until: apiServerNotReady,
})

export const applyBootstrapRbac = composeStep({
  name: 'control-plane.rbac',
  title: 'Allow the parts of the cluster what they need',
  timeout: minutes(1),
  ops: () => {
    const path = `${hostLayout.addons}/bootstrap-rbac.yaml`
    const yaml = toYaml(...bootstrapBindings)
    return [writeFile({ path, content: yaml }), kubectlApply({ name: 'bootstrap-rbac', path, yaml })]
  },
})

export const installKubelet = composeStep({
  name: 'kubelet.install',
  title: 'Install the kubelet',
  timeout: minutes(15),
  ops: (ctx) => programs(ctx, ['kubelet']),
})

export const placeNodeCertificates = composeStep({
  name: 'kubelet.certificates',
  title: 'Place the certificates and the kubeconfig of the kubelet',
  timeout: minutes(1),
  ops: async (ctx) => [
    ...(await placeAuthority(ctx, 'kubernetes', { withKey: false })),
    ...(rotatesServingCertificates(ctx.cluster) ? [] : await placeCertificates(ctx, ['kubelet-server'])),
    await placeKubeconfig(ctx, 'kubelet'),
  ],
})

export const runKubelet = composeStep({
  name: 'kubelet.run',
  title: 'Configure and run the kubelet',
  timeout: minutes(3),
  ops: async (ctx) => {
    const config = `${hostLayout.kubelet}/config.yaml`
    const kubeconfig = kubeconfigPath('kubelet')
    const args = kubeletCommand(ctx.cluster, ctx.host, { config, kubeconfig })
    const serving = certificatePaths('kubelet-server')
    const choices = { serving, taints: nodeTaints(ctx.host), ...(await resolvConf(ctx)) }
    const files = [
      config,
      kubeconfig,
      authorityPaths('kubernetes').cert,
      ...(rotatesServingCertificates(ctx.cluster) ? [] : [serving.cert]),
    ]
    return [
      ...[hostLayout.kubelet, kubeletRoot(ctx.cluster)]
        .filter(isFirst)
        .map((path) => makeDirectory({ path, mode: '0750', contents: 'ours' })),
      makeDirectory({ path: hostLayout.staticPods, mode: '0755' }),
      writeFile({ path: config, content: toYaml(kubeletConfiguration(ctx.cluster, ctx.host, choices)), mode: '0600' }),
      ...service(ctx, { program: 'kubelet', args }, files),
    ]
  },
})

const isFirst = <T>(value: T, index: number, all: readonly T[]): boolean => all.indexOf(value) === index

/** Where systemd-resolved answers on loopback, pods get the servers behind it: loopback is another place to them. */
async function resolvConf({ on }: StepContext): Promise<{ readonly resolvConf?: string }> {
  const [state] = await on.inspect([{ kind: 'file', path: '/etc/resolv.conf' }])
  const isStub = state.type === 'link' && /\/systemd\/(resolve\/)?(stub-)?resolv\.conf$/.test(state.target)
  return isStub ? { resolvConf: '/run/systemd/resolve/resolv.conf' } : {}
}

export const installKubeProxy = composeStep({
  name: 'kube-proxy.install',
  title: 'Install kube-proxy',
  timeout: minutes(15),
  ops: (ctx) => programs(ctx, ['kube-proxy']),
})

export const runKubeProxy = composeStep({
  name: 'kube-proxy.run',
  title: 'Configure and run kube-proxy',
  timeout: minutes(2),
  ops: async (ctx) => {
    const config = `${hostLayout.kubernetes}/kube-proxy.yaml`
    const kubeconfig = kubeconfigPath('kube-proxy')
    const content = toYaml(kubeProxyConfiguration(ctx.cluster, { kubeconfig, nodeName: ctx.host.name }))
    return [
      await placeKubeconfig(ctx, 'kube-proxy'),
      writeFile({ path: config, content }),
      ...service(ctx, { program: 'kube-proxy', args: kubeProxyCommand(ctx.cluster, config) }, [config, kubeconfig]),
    ]
  },
})
