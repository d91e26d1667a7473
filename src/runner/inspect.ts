import { type Frame, framed } from './frames.ts'
import { commandFailure, type Hands } from './hands.ts'
import { hashFunction } from './known-hashes.ts'
import type { Probe, StatesOf } from './probe.ts'
import { group, package_, packages, user } from './probes/accounts.ts'
import { block, command, file, mount, swap, unpacked } from './probes/files.ts'
import type { ProbeKind } from './probes/kind.ts'
import { firewall, hostname, module, selinux, sysctl, timezone, unit } from './probes/system.ts'

const kinds: { readonly [K in Probe['kind']]: ProbeKind<K> } = {
  file,
  unpacked,
  block,
  unit,
  package: package_,
  packages,
  user,
  group,
  sysctl,
  module,
  swap,
  selinux,
  firewall,
  hostname,
  timezone,
  mount,
  command,
}

// Block probes bring whole files, command probes whatever they print.
const mostAnswer = 64 * 1024 * 1024

/** Answers all probes in one round trip. */
export async function inspect<const P extends readonly Probe[]>(hands: Hands, probes: P): Promise<StatesOf<P>> {
  if (probes.length === 0) return [] as unknown as StatesOf<P>
  const { script, parse } = framed(probes.map((probe) => kindOf(probe).script(probe)))
  const functions = probes.some(({ kind }) => kind === 'file' || kind === 'unpacked') ? hashFunction : ''
  const answer = await hands.ask(functions + script, { keep: mostAnswer, orElse: commandFailure('inspect') })
  return parse(answer.stdout).map((frame, i) => stateOf(probes[i] as Probe, frame)) as unknown as StatesOf<P>
}

const stateOf = (probe: Probe, answer: Frame): unknown => kindOf(probe).parse(answer, probe)

/** The table is typed by kind; which kind a probe of the list is, is known only now. */
const kindOf = (probe: Probe): { script(probe: Probe): string; parse(answer: Frame, probe: Probe): unknown } =>
  kinds[probe.kind] as unknown as { script(probe: Probe): string; parse(answer: Frame, probe: Probe): unknown }
