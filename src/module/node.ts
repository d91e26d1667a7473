import { userAccess } from '../components/kubernetes/client/index.ts'
import { dns } from '../components/os/dns/index.ts'
import { firewall } from '../components/os/firewall/index.ts'
import { hostname } from '../components/os/hostname/index.ts'
import { hostsFile } from '../components/os/hosts-file/index.ts'
import { kernel } from '../components/os/kernel/index.ts'
import { limits } from '../components/os/limits/index.ts'
import { logRotation } from '../components/os/log-rotation/index.ts'
import { giveUpOwnership, membership } from '../components/os/ownership/index.ts'
import { packageFiles, packages } from '../components/os/packages/index.ts'
import { postInstall, preInstall } from '../components/os/scripts/index.ts'
import { selinux } from '../components/os/selinux/index.ts'
import { swap } from '../components/os/swap/index.ts'
import { timeSync } from '../components/os/time-sync/index.ts'
import { timezone } from '../components/os/timezone/index.ts'
import { par, seq } from '../plan/index.ts'
import { defineModule } from './define.ts'

const settings = [hostname, dns, selinux, swap, firewall, kernel, timezone, limits, logRotation]
/** These may come from a server that only the cluster's own names and name servers lead to. */
const installations = [packages, timeSync]

/** The operating system of every host, made ready for the rest. The hosts file is the cluster's own and written in any case. */
export const nodeModule = defineModule({
  name: 'node',
  create: (task, { cluster }) => {
    const unlessSkipped = (tasks: typeof settings) => (cluster.spec.system.skipConfigureOS ? [] : tasks.map((one) => task(one)))
    return seq(task(preInstall), par(task(hostsFile), ...unlessSkipped(settings)), task(packageFiles), par(...unlessSkipped(installations)))
  },
})

/** What is left to do when the cluster is up. */
export const finishModule = defineModule({ name: 'finish', create: (task) => par(task(postInstall), task(userAccess)) })

/** What every host knows of its cluster. */
export const membershipModule = defineModule({ name: 'membership', create: (task) => task(membership) })

/** The last word of a delete: what the ledger still names goes, then the ledger. */
export const ownershipModule = defineModule({ name: 'ownership', create: (task) => task(giveUpOwnership) })
