import { hostLayout, mastersOf } from '../../config/index.ts'
import {
  initDocuments,
  joinConfiguration,
  type KubeadmChoices,
  kubeletConfiguration,
  kubeletPatch,
  rotatesServingCertificates,
} from '../../manifest/index.ts'
import { builtInCatalogue, imageName, kubernetesImageTags } from '../../resource/index.ts'
import type { StepContext } from '../../runtime/index.ts'
import { hashOf, sha256 } from '../../util/hash.ts'
import type { Json } from '../../util/json.ts'
import { toYaml } from '../../util/yaml.ts'
import type { Op } from '../op.ts'
import { apiServerFiles } from './api-server-files.ts'
import { authorityPaths, certificatePaths, etcdAccess, kubeconfigPath } from './certificate.ts'
import { writeFile } from './file.ts'

/** Where what kubeadm is told lies. */
export const kubeadmFiles = {
  init: `${hostLayout.kubernetes}/kubeadm-config.yaml`,
  join: `${hostLayout.kubernetes}/kubeadm-join.yaml`,
  patches: `${hostLayout.kubernetes}/patches`,
} as const

/** What kubeadm is told on a host. */
export interface KubeadmSettings {
  /** The files it reads, and those its API server does. */
  readonly files: readonly Op[]
  /** Names all of it: with another one the host is no longer what it would be made today. */
  readonly hash: string
}

/** Everything the config decides about what kubeadm makes of this host. */
export async function kubeadmSettings(ctx: StepContext): Promise<KubeadmSettings> {
  const own = ctx.host.roles.includes('master') ? await apiServerFiles(ctx) : { logs: [], files: [] }
  const [configs, patches] = [configTexts(ctx), patchTexts(ctx, own.files)]
  const kubelet = toYaml(kubeletConfiguration(ctx.cluster, ctx.host, choicesFor(ctx)))
  return {
    files: [
      ...Object.entries(configs).map(([path, content]) => writeFile({ path, content, mode: '0600' })),
      ...Object.entries(patches).map(([name, content]) => writeFile({ path: `${kubeadmFiles.patches}/${name}`, content, mode: '0600' })),
      ...own.logs,
      ...own.files,
    ],
    hash: sha256([...Object.values(configs), ...Object.values(patches), kubelet].join('\n')),
  }
}

/** The configurations of kubeadm by path: the first master begins the cluster, all others join it. */
function configTexts(ctx: StepContext): Readonly<Record<string, string>> {
  const { cluster, host } = ctx
  const choices = choicesFor(ctx)
  return {
    ...(host.roles.includes('master') ? { [kubeadmFiles.init]: toYaml(...initDocuments(cluster, host, choices)) } : {}),
    ...(mastersOf(cluster)[0]?.name === host.name ? {} : { [kubeadmFiles.join]: toYaml(joinConfiguration(cluster, host, choices)) }),
  }
}

/**
 * Patches by file name: kubeadm takes them in the order of their names, and the user's come last. Of the user's it
 * reads spec.kubernetes.kubeadm.patches.target, reads spec.kubernetes.kubeadm.patches.type and reads spec.kubernetes.kubeadm.patches.patch
 */
const patchTexts = ({ cluster, host }: StepContext, apiServer: readonly Op[]): Readonly<Record<string, string>> => ({
  'kubeletconfiguration+merge.json': inJson(kubeletPatch(cluster, host)),
  ...(apiServer.length === 0 ? {} : { 'kube-apiserver+strategic.json': inJson(madeWith(apiServer)) }),
  ...Object.fromEntries(
    cluster.spec.kubernetes.kubeadm.patches.map(({ target, type, patch }, i) => [
      `${target}${String(i).padStart(3, '0')}+${type}.json`,
      inJson(patch),
    ]),
  ),
})

const inJson = (value: Json): string => `${JSON.stringify(value)}\n`

/** The API server reads its audit policy and how to encrypt only at its start: with other files it has to be another pod. */
const madeWith = (files: readonly Op[]): Json => ({
  metadata: { annotations: { 'kubexm.mensylisir.io/configuration': hashOf(files.map(({ desired = null }) => desired)).slice(0, 16) } },
})

function choicesFor({ cluster, host }: StepContext): KubeadmChoices {
  const { kubernetes: spec, controlPlaneEndpoint } = cluster.spec
  const tags = kubernetesImageTags(builtInCatalogue, spec.version)
  const image = (name: string) => imageParts(imageName(cluster, `registry.k8s.io/${name}`))
  const names = [controlPlaneEndpoint.domain, controlPlaneEndpoint.lb_address, ...spec.apiserverCertExtraSans, 'localhost', '127.0.0.1']
  return {
    images: {
      kubernetes: image(`kube-apiserver:${spec.version}`).repository,
      etcd: image(`etcd:${tags.etcd}`),
      coredns: image(`coredns/coredns:${tags.coredns}`),
    },
    certSans: [...new Set(names)].filter((name) => name !== ''),
    authority: authorityPaths('kubernetes').cert,
    ...(rotatesServingCertificates(cluster) ? {} : { serving: certificatePaths('kubelet-server') }),
    etcd: etcdAccess(cluster, host),
    patches: kubeadmFiles.patches,
    discovery: kubeconfigPath('joiner'),
  }
}

/** `registry.example.com/a/b:1` is `b` of `registry.example.com/a`, and kubeadm adds the `b` itself. */
const imageParts = (image: string): { readonly repository: string; readonly tag: string } => ({
  repository: image.slice(0, image.lastIndexOf('/')),
  tag: image.slice(image.lastIndexOf(':') + 1),
})
