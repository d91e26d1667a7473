import { fail } from '../../error/index.ts'
import type { Runner } from '../../runner/index.ts'
import type { Json } from '../../util/json.ts'
import type { Kind } from '../op.ts'
import type { Receipt } from '../step.ts'
import { archiveKinds } from './archive.ts'
import { blockKinds } from './block.ts'
import { commandKinds } from './command.ts'
import { editKinds } from './edit.ts'
import { fileKinds } from './file.ts'
import { imageKinds } from './image.ts'
import { kernelKinds } from './kernel.ts'
import { kubeadmKinds } from './kubeadm.ts'
import { kubernetesKinds } from './kubernetes.ts'
import { nodeKinds } from './node-settings.ts'
import { packageKinds } from './package.ts'
import { serviceKinds } from './service.ts'
import { systemKinds } from './system.ts'
import { traceKinds } from './traces.ts'
import { userKinds } from './user.ts'
import { addressKinds } from './virtual-address.ts'

const kinds: ReadonlyMap<string, Kind> = new Map(
  [
    ...fileKinds,
    ...blockKinds,
    ...editKinds,
    ...archiveKinds,
    ...serviceKinds,
    ...packageKinds,
    ...userKinds,
    ...kernelKinds,
    ...systemKinds,
    ...commandKinds,
    ...kubernetesKinds,
    ...traceKinds,
    ...nodeKinds,
    ...kubeadmKinds,
    ...imageKinds,
    ...addressKinds,
  ].map((kind) => [kind.name, kind as unknown as Kind]),
)

/** What is known of a kind by its name; null for one that this version does not know. */
export const kindNamed = (name: string): Kind | null => kinds.get(name) ?? null

/**
 * Puts one thing back as it was, and looks whether it is. Journal and ledger name things by kind and id only.
 * Nothing is done where it is back already: an undo that was cut off can be done again.
 */
export async function undoThing(on: Runner, kindName: string, id: string, before: Json): Promise<void> {
  const kind = kinds.get(kindName)
  if (kind === undefined)
    throw fail('KX_BUG', { what: `the record names a kind of change, "${kindName}", that this version does not know` })
  const probe = kind.probe(id)
  if (probe === null) return kind.undo(on, id, before)
  const look = async (): Promise<Json> => (await on.inspect([probe]))[0] as Json
  if (kind.isBack(before, await look())) return
  await kind.undo(on, id, before)
  const now = await look()
  if (kind.mayStay !== true && !kind.isBack(before, now)) {
    throw fail(
      'KX_ROLLBACK_FAILED',
      { title: `${kindName} ${id}`, why: `it is not as it was: ${JSON.stringify(now)}` },
      { where: { host: on.host } },
    )
  }
}

/** Undoes changes last first. */
export async function undoReceipts(on: Runner, receipts: readonly Receipt[]): Promise<void> {
  for (const receipt of [...receipts].reverse()) {
    if (receipt.kind !== 'custom') await undoThing(on, receipt.kind, receipt.id, receipt.before)
  }
}
