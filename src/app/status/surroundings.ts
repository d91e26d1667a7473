import type { Cluster } from '../../config/index.ts'
import { asKubexmError } from '../../error/index.ts'
import type { Pki } from '../../pki/index.ts'
import type { Output, Reader } from '../../runner/index.ts'
import { lastLines } from '../../util/last-lines.ts'
import type { Clock } from '../../util/time.ts'
import type { HostName } from '../../util/where.ts'
import type { Fleet } from '../fleet.ts'

/** What a look at a cluster works with. */
export interface Surroundings extends Pick<Fleet, 'hosts' | 'lost' | 'runner'> {
  readonly cluster: Cluster
  readonly pki: Pki
  readonly clock: Pick<Clock, 'now'>
}

/** Who can be asked about a host: the host itself, or another one that may reach it where the host itself cannot be reached. */
export function askerFor({ lost, runner }: Surroundings, host: HostName, others: readonly HostName[]): Reader | null {
  const asked = [host, ...others].find((name) => !lost.has(name))
  return asked === undefined ? null : runner(asked)
}

/** Why a command was in vain, in one line. */
export function whyNot({ code, stdout, stderr }: Output): string {
  const said = lastLines(stderr, 1).trim() || lastLines(stdout, 1).trim() || `it ended with ${code}`
  // A shell that finds no program says where in our script that was.
  return said.replace(/^sh: (line )?\d+: (eval: )?/, '')
}

/** What a look gives, or what stands for it where the host stops answering: one that fails must not keep the others from being told. */
export async function orElse<T>(look: () => Promise<T>, failed: (why: string) => T): Promise<T> {
  try {
    return await look()
  } catch (thrown) {
    const error = asKubexmError(thrown)
    if (error.code === 'KX_BUG' && !(thrown instanceof DOMException)) throw error
    return failed(error.message)
  }
}

/** What is said of a host that was lost before anything could be asked. */
export const unreachable = 'the host cannot be reached'
