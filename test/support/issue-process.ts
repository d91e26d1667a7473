// A process of its own that issues the certificates of a cluster into a directory: `issue-process.ts <directory>`.
import { join } from 'node:path'
import { createPki, diskStore, memoryStore } from '../../src/pki/index.ts'
import { smallCluster } from './clusters.ts'

const [directory = ''] = process.argv.slice(2)
const { cluster } = smallCluster()
// What has to be loaded is loaded before the start.
await createPki({ cluster, store: memoryStore() }).authority('etcd')
const pki = createPki({ cluster, store: diskStore({ certs: (of) => join(directory, 'certs', of) }) })
process.stdout.write('ready\n')
await new Promise((go) => process.stdin.once('data', go))
await pki.issue()
const serials = await Promise.all([pki.authority('kubernetes'), pki.leaf('apiserver', 'node1')])
process.stdout.write(`${serials.map(({ cert }) => cert).join('')}`)
process.exit(0)
