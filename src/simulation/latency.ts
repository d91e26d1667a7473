import type { Millis } from '../util/time.ts'
import type { Call } from './host-options.ts'

/** How long things take on an ordinary host in the same data centre; commands and changes not named cost their round trip. */
const usual: readonly (readonly [start: string, takes: Millis])[] = [
  ['packages.install', 12_000],
  ['packages.remove', 4_000],
  ['services.start', 700],
  ['services.restart', 1_200],
  ['services.stop', 400],
  ['services.reloadUnits', 150],
  ['files.extract', 1_500],
  ['run kubeadm init', 35_000],
  ['run kubeadm join', 20_000],
  ['run kubeadm reset', 8_000],
  ['run kubeadm upgrade', 60_000],
  ['run kubectl drain', 15_000],
  ['run kubectl', 400],
  ['run ctr', 3_000],
  ['facts', 60],
]

/** A model of time for rehearsals: a round trip, the usual duration of the work, and the time its bytes need. */
export function usualLatency({
  roundTrip = 4,
  bytesPerSecond = 100 * 1024 * 1024,
}: {
  roundTrip?: Millis
  bytesPerSecond?: number
} = {}): (call: Call) => Millis {
  return (call) => {
    const name = call.what === 'run' ? `run ${call.target}` : call.what
    const work = usual.find(([start]) => name.startsWith(start))?.[1] ?? 0
    return roundTrip + work + (call.bytes / bytesPerSecond) * 1000
  }
}
