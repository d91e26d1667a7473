import type { Publication, RegistryPlace } from '../resource/index.ts'

/** Registries as this machine reaches them; in a rehearsal they are those of the simulated hosts. */
export interface Registries {
  /** Whether a registry has exactly this image. */
  has(place: RegistryPlace, image: Publication, signal: AbortSignal): Promise<boolean>
  /** Puts an image there, with all its architectures. */
  publish(place: RegistryPlace, image: Publication, signal: AbortSignal): Promise<{ readonly uploadedBytes: number }>
}
