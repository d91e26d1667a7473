import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { hashFile, writeFileAtomically } from '../../resource/atomic-file.ts'
import { builtContent, writeArchive } from '../../resource/oci/archive.ts'
import { buildImage } from '../../resource/oci/image.ts'
import type { Layer } from '../../resource/oci/layer.ts'
import { hashOf } from '../../util/hash.ts'
import { semaphore } from '../../util/semaphore.ts'
import { isEmptyLayer, makeLayer } from './layers.ts'
import { mirroredImage } from './layout.ts'
import type { ProgramBuilder } from './programs.ts'
import { type ImageRecipe, type LayerRecipe, type ProgramSet, setId } from './recipe.ts'
import type { Item, Workshop } from './workshop.ts'

/** Images that exist nowhere but here. */
const ownRegistry = 'kubexm.local/'

/** Makes images without a container engine: layers from programs and packages, written as OCI archives. */
export class ImageBuilder {
  readonly #workshop: Workshop
  readonly #builder: ProgramBuilder
  readonly #layers = new Map<string, Promise<Layer>>()
  readonly #one = semaphore(1)

  constructor(workshop: Workshop, builder: ProgramBuilder) {
    this.#workshop = workshop
    this.#builder = builder
  }

  /** The image as an item of the mirror: pulled where that can be done, else made. */
  item(recipe: ImageRecipe, set: ProgramSet | null): Item {
    const { arch, layout, upstream } = this.#workshop.options
    const path = mirroredImage(layout, recipe.image)
    const isMade = async (): Promise<boolean> => recipe.image.startsWith(ownRegistry) || !(await upstream.reachable())
    return {
      id: `image/${recipe.image}`,
      recipe: { ...recipe, arch, from: set } as unknown as Item['recipe'],
      ...(recipe.standIn === undefined ? {} : { standIn: recipe.standIn }),
      needs: async () => ((await isMade()) && set !== null ? this.#workshop.ensure(this.#builder.item(set)) : undefined),
      make: async (begin) => {
        if (!(await isMade())) begin('downloaded')
        if ((await isMade()) || !(await upstream.pull(recipe.image, arch, path))) {
          if (set !== null) await this.#workshop.ensure(this.#builder.item(set))
          // One at a time: they share layers and the package directory, and the disk is the limit anyway.
          await this.#one(() => {
            begin(set === null ? 'packaged' : 'built')
            return this.#make(recipe, set, path)
          })
        }
        await writeFileAtomically(`${path}.sha256`, `${(await hashFile(path)).sha256}  ${basename(path)}\n`)
        return [path, `${path}.sha256`]
      },
    }
  }

  async #make(recipe: ImageRecipe, set: ProgramSet | null, path: string): Promise<void> {
    const { arch, signal } = this.#workshop.options
    const layers: Layer[] = []
    for (const layer of recipe.layers.filter((candidate) => !isEmptyLayer(candidate))) layers.push(await this.#layer(layer, set))
    const image = buildImage(layers, recipe.config, { architecture: arch, os: 'linux' })
    await writeArchive(path, builtContent(recipe.image, image), { signal })
  }

  /** Layers without programs (the network tools) are the same in many images: made once. */
  #layer(recipe: LayerRecipe, set: ProgramSet | null): Promise<Layer> {
    const key = hashOf({ recipe, set: recipe.programs === undefined || set === null ? null : setId(set) } as unknown as Item['recipe'])
    const known = this.#layers.get(key)
    if (known !== undefined) return known
    const made = this.#makeLayer(key, recipe, set)
    this.#layers.set(key, made)
    return made
  }

  async #makeLayer(key: string, recipe: LayerRecipe, set: ProgramSet | null): Promise<Layer> {
    const { layout, signal } = this.#workshop.options
    const work = join(layout.work, `layers-${process.pid}`, key)
    await mkdir(work, { recursive: true })
    return await makeLayer(recipe, {
      work,
      packages: layout.packages,
      signal,
      program: (name) => {
        if (set === null) throw new RangeError(`a layer names the program ${name}, but its image has no program set`)
        return this.#builder.program(set, name)
      },
    })
  }
}
