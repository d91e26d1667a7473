import { hostsFile } from '../components/os/hosts-file/index.ts'
import { giveUpOwnership } from '../components/os/ownership/index.ts'
import { defineModule } from './define.ts'

/** The operating system of every host, made ready for the rest. */
export const nodeModule = defineModule({ name: 'node', create: (task) => task(hostsFile) })

/** The last word of a delete: what the ledger still names goes, then the ledger. */
export const ownershipModule = defineModule({ name: 'ownership', create: (task) => task(giveUpOwnership) })
