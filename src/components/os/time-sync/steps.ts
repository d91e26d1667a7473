import { type ClusterHost, hostsOf } from '../../../config/index.ts'
import { builtInCatalogue } from '../../../resource/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { writeFile } from '../../../step/generic/file.ts'
import { displacePackages, installPackages, packageNames } from '../../../step/generic/package.ts'
import { reconfigureService, stopService } from '../../../step/generic/service.ts'
import { composeStep, type Op } from '../../../step/index.ts'
import { minutes } from '../../../util/time.ts'
import { chronyConf, chronyPlaces, type TimeSources } from './templates.ts'

export const runChrony = composeStep({
  name: 'time-sync.run-chrony',
  title: 'Keep the clock right with chrony',
  timeout: minutes(10),
  ops: (ctx) => {
    const { unit, config, drift } = chronyPlaces[ctx.host.facts.family === 'debian' ? 'debian' : 'rhel']
    const content = chronyConf({ ...sourcesFor(ctx), drift })
    return [...withoutRivals(ctx), ...reconfigureService({ unit, files: [writeFile({ path: config, content })] })]
  },
})

/** Two programs must not set one clock: Debian's packages exclude each other, elsewhere the other service is stopped. */
function withoutRivals({ host }: StepContext): readonly Op[] {
  const chrony = installPackages(packageNames(host, builtInCatalogue.packages.time))
  if (host.facts.family !== 'debian') return [stopService('ntpd.service'), chrony]
  return [displacePackages(['systemd-timesyncd', 'ntpsec', 'ntp', 'openntpd']), chrony]
}

/** Whether the config names this host as a time server. */
export const servesTime = ({ name, address, internalAddress }: ClusterHost, ntpServers: readonly string[]): boolean =>
  [name, address, internalAddress].some((known) => ntpServers.includes(known))

function sourcesFor({ cluster, host }: StepContext): Pick<TimeSources, 'sources' | 'clients'> {
  const hosts = hostsOf(cluster)
  const { ntpServers } = cluster.spec.system
  const sources = ntpServers.flatMap((server) => {
    const own = hosts.find((other) => servesTime(other, [server]))
    return own === undefined ? [server] : own.name === host.name ? [] : [own.internalAddress]
  })
  const others = hosts.filter((other) => other.name !== host.name).flatMap((other) => other.internalAddresses)
  return { sources, clients: servesTime(host, ntpServers) ? others : null }
}
