import { seq } from '../../../plan/index.ts'
import type { Host } from '../../../runtime/index.ts'
import { defineTask } from '../../../task/index.ts'
import { runChrony, servesTime } from './steps.ts'

export const timeSync = defineTask({
  name: 'time-sync',
  description: 'Keep the clocks of all hosts together',
  isRequired: ({ cluster }) => cluster.spec.system.ntpServers.length > 0,
  plan: (t) => {
    const isServer = (host: Host): boolean => servesTime(host, t.cluster.spec.system.ntpServers)
    const hosts = t.hosts().filter(hasOwnClock)
    // Servers first: a client that finds its server silent asks again only after a minute.
    return seq(
      t.on(hosts.filter(isServer), runChrony),
      t.on(
        hosts.filter((host) => !isServer(host)),
        runChrony,
      ),
    )
  },
})

/** A container has the clock of the machine beneath it and may not set it. */
const hasOwnClock = ({ facts }: Host): boolean =>
  !['systemd-nspawn', 'lxc', 'lxc-libvirt', 'docker', 'podman', 'openvz'].includes(facts.virtualization)
