import { Content } from './content.ts'
import { listNames, removePath, writeFile } from './files.ts'
import type { HostState } from './state.ts'
import { entryAt } from './tree.ts'

const store = '/var/lib/containerd/simulated-images'

const pathOf = (reference: string): string => `${store}/${encodeURIComponent(reference)}`

/** The images of a host's containerd; they go with its data directory, as the real ones do. */
export const imagesIn = (state: HostState): readonly string[] => listNames(state, store).map(decodeURIComponent)

/** The host with images of these names. */
export const withImages = (state: HostState, references: readonly string[]): HostState =>
  references.reduce((next, reference) => writeFile(next, pathOf(reference), new Content(''), { mode: '0600' }), state)

/** The host without an image; with the last one goes the directory that stands for the store of them. */
export function withoutImage(state: HostState, reference: string): HostState {
  const rest = removePath(state, pathOf(reference), false)
  return entryAt(rest.root, store) !== null && imagesIn(rest).length === 0 ? removePath(rest, store, false) : rest
}
