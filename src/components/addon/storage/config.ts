import * as z from 'zod'
import { absolutePath, field, filledText, list, optionalGroup, version } from '../../../config/primitives.ts'

/** What a user may say about storage for pods. A block that is present asks for that provisioner. */
export const storageConfig = {
  defaultStorageClass: field(
    filledText().optional(),
    'Storage class for claims that name none; by default the first one installed.',
    'local',
  ),
  openebs: optionalGroup(
    {
      version: field(version().default('4.3.3'), 'Version of OpenEBS.', '4.3.3'),
      basePath: field(absolutePath().default('/var/openebs/local'), 'Directory on the hosts for local volumes.', '/var/openebs/local'),
    },
    'Local volumes by OpenEBS.',
  ),
  nfs: optionalGroup(
    {
      server: field(filledText(), 'NFS server.', '192.168.0.20'),
      path: field(absolutePath(), 'Exported directory.', '/exports/k8s'),
      storageClassName: field(filledText().default('nfs'), 'Name of the storage class.', 'nfs'),
    },
    'Volumes on an NFS server.',
  ),
  longhorn: optionalGroup(
    {
      version: field(version().default('v1.10.0'), 'Version of Longhorn.', 'v1.10.0'),
      defaultDataPath: field(absolutePath().default('/var/lib/longhorn'), 'Directory on the hosts for replicas.', '/var/lib/longhorn'),
      purgeDataOnUninstall: field(z.boolean().default(false), 'Remove replicas when the cluster is deleted with --purge-data.', false),
    },
    'Replicated volumes by Longhorn.',
  ),
  rookCeph: optionalGroup(
    {
      version: field(version().default('v1.18.3'), 'Version of Rook.', 'v1.18.3'),
      devices: field(list(filledText()), 'Disks to use on every storage host.', ['sdb']),
      useAllDevices: field(z.boolean().default(false), 'Use every empty disk.', false),
      createBlockPool: field(z.boolean().default(true), 'Make a pool and storage class for block volumes.', true),
      createFilesystem: field(z.boolean().default(false), 'Make a shared file system and its storage class.', true),
    },
    'Ceph by Rook, on hosts with the storage role.',
  ),
}
