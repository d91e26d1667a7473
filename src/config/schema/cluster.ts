import * as z from 'zod'
import { storageConfig } from '../../components/addon/storage/config.ts'
import { extraConfig } from '../../components/os/extra/config.ts'
import { preflightConfig } from '../../components/os/preflight/config.ts'
import { systemConfig } from '../../components/os/system/config.ts'
import { duration, field, filledText, group, text, url } from '../primitives.ts'
import { globalFields, host, roleGroups } from './hosts.ts'
import { kubernetes } from './kubernetes.ts'
import { controlPlaneEndpoint, network } from './network.ts'
import { addons, dns, etcd, registry } from './services.ts'

export const apiVersion = 'kubexm.mensylisir.io/v1alpha1'

/** The one schema: the CLI, the API, the CRD, the documentation and editors all work from it. */
export const clusterSchema = z
  .strictObject({
    apiVersion: field(z.literal(apiVersion), 'Version of this schema.', apiVersion),
    kind: field(z.literal('Cluster'), 'Kind of object.', 'Cluster'),
    metadata: z
      .strictObject({
        name: field(
          text(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'a name of lower-case letters, digits and dashes', 'mycluster'),
          'Name of the cluster, and of its work directory.',
          'mycluster',
        ),
      })
      .meta({ description: 'Identity of the cluster.' }),
    spec: z
      .strictObject({
        hosts: field(z.array(host).min(1), 'The machines.', [{ name: 'node1', address: '172.16.0.2' }]),
        roleGroups: group(roleGroups, 'Which host does what.'),
        global: group(globalFields, 'What holds for every host that does not say otherwise, and for the run.'),
        controlPlaneEndpoint: group(controlPlaneEndpoint, 'How the API servers are reached.'),
        system: group(systemConfig, 'How the operating system of every host is prepared.'),
        kubernetes: group(kubernetes, 'Kubernetes itself.'),
        etcd: group(etcd, 'The store behind the API servers.'),
        network: group(network, 'The network of pods and services.'),
        dns: group(dns, 'Names inside the cluster.'),
        storage: group(storageConfig, 'Storage for pods.'),
        registry: group(registry, 'The private image registry.'),
        addons,
        gateway: group(
          { ingressNginx: group({ enabled: field(z.boolean().default(false), 'Install ingress-nginx.', true) }, 'ingress-nginx.') },
          'Ingress.',
        ),
        helmRepo: group(
          {
            name: field(filledText().optional(), 'Name of the repository.', 'stable'),
            repo: field(url().optional(), 'URL of the repository.', 'https://charts.example.com'),
          },
          'Helm repository for charts that name none.',
        ),
        preflight: group(preflightConfig, 'Checks before anything is changed.'),
        extra: group(extraConfig, 'Additions to name resolution on every host.'),
        certs: group(
          {
            CADuration: field(duration().default('87600h'), 'Lifetime of the certificate authorities.', '87600h'),
            CertDuration: field(duration().default('8760h'), 'Lifetime of the certificates they sign.', '8760h'),
            keyAlgorithm: field(
              z.enum(['ECDSA-P256', 'RSA-2048', 'RSA-3072', 'RSA-4096']).default('ECDSA-P256'),
              'What keys are made; authorities that are there keep theirs.',
              'RSA-2048',
            ),
          },
          'Certificates: how long they live, and their keys.',
        ),
      })
      .meta({ description: 'What the cluster is to be.' }),
  })
  .meta({ title: 'kubexm Cluster', description: 'A Kubernetes cluster, as kubexm makes it.' })

/** What the schema gives before names are expanded and defaults taken from other fields. */
export type ParsedCluster = z.output<typeof clusterSchema>
