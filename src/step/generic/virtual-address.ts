import { type Command, hostPaths, sh } from '../../runner/index.ts'
import { defineOp, type Kind, type Op } from '../op.ts'

/** Which addresses programs of ours may put on this host. */
const markOf = (address: string): string => `${hostPaths.root}/addresses/${address}`

/** Who holds an address and is ended by force leaves it behind, and the next cluster would find it taken. */
type HolderBefore = { readonly program: string }

// Asked to end, the program gives the address up by itself; it gets a few seconds for it.
const releaseScript = `address=$1 program=$2
holders() {
  for comm in /proc/[0-9]*/comm; do
    read -r name < "$comm" && [ "$name" = "$program" ] && pid=\${comm#/proc/} && echo "\${pid%/comm}"
  done 2>/dev/null
}
for signal in TERM KILL; do
  for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    pids=$(holders)
    [ -n "$pids" ] || break 2
    [ $try -gt 1 ] || kill -$signal $pids 2>/dev/null
    sleep 0.2
  done
done
ip -o address show to "$address" | while read -r _ interface _ network _; do ip address del "$network" dev "$interface" || exit; done`

const release = (address: string, program: string): Command => sh`bash -c ${releaseScript} kubexm-release-address ${address} ${program}`

const addressKind: Kind<HolderBefore> = {
  name: 'virtual-address',
  probe: (address) => ({ kind: 'command', command: sh`test -e ${markOf(address)}` }),
  undo: async (on, address, { program }) => {
    await on.run(release(address, program))
    await on.files.remove(markOf(address), { upTo: hostPaths.root })
  },
  isBack: (_before, now) => (now as { readonly code: number }).code !== 0,
}

/** Lets a program in a container hold a virtual address on this host; with the cluster both program and address are taken away. */
export function holdAddress({ address, program }: { readonly address: string; readonly program: string }): Op {
  const path = markOf(address)
  return defineOp({
    kind: addressKind,
    id: address,
    does: `let ${program} hold ${address}`,
    probe: { kind: 'command', command: sh`test -e ${path}` },
    isDone: (state) => state.code === 0,
    capture: () => ({ program }),
    apply: (on) => on.files.write(path, `${program}\n`, { mode: '0600' }),
  })
}

export const addressKinds: readonly Kind<never>[] = [addressKind]
