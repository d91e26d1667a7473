import { mkdir, rename, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { semaphore } from '../../util/semaphore.ts'
import { fetchPackages, resolvePackages, unpackPackages } from './debian.ts'
import { type BuildContext, buildPrograms, prepareSources } from './go-build.ts'
import { findGo, type GoToolchain } from './go-toolchain.ts'
import { type ProgramSet, programsOf, setId } from './recipe.ts'
import type { Origin } from './record.ts'
import type { Item, Workshop } from './workshop.ts'

/** Builds program sets: sources are fetched a little ahead of the compiler, so that neither waits for the other. */
export class ProgramBuilder {
  readonly #workshop: Workshop
  readonly #fetching = semaphore(2)
  readonly #building = semaphore(Math.max(1, Math.floor(availableParallelism() / 2)))
  #go: Promise<GoToolchain> | undefined

  constructor(workshop: Workshop) {
    this.#workshop = workshop
  }

  /** The set as an item of the mirror. */
  item(set: ProgramSet): Item {
    return {
      id: setId(set),
      recipe: { ...set, arch: this.#workshop.options.arch } as unknown as Item['recipe'],
      ...(set.standIn === undefined ? {} : { standIn: set.standIn }),
      make: (begin) => this.#build(set, begin),
    }
  }

  /** Where a built program is. */
  program(set: ProgramSet, name: string): string {
    return join(this.#directory(set), name)
  }

  #directory(set: ProgramSet): string {
    const { layout, arch } = this.#workshop.options
    return join(layout.programs, set.name, set.version, arch)
  }

  async #build(set: ProgramSet, begin: (how: Origin) => void): Promise<readonly string[]> {
    const { layout, arch, signal, emit } = this.#workshop.options
    const id = setId(set)
    const work = join(layout.work, id)
    const onLine = (line: string): void => emit({ type: 'item.line', item: id, line })
    this.#go ??= findGo({ signal, onLine })
    const context: BuildContext = { go: await this.#go, arch, work, signal, onLine, libraries: (packages) => this.#libraries(packages) }
    await rm(work, { recursive: true, force: true })
    await mkdir(work, { recursive: true })
    const sources = await this.#fetching(() => prepareSources(set, context))
    const built = join(work, 'programs')
    await this.#building(() => {
      begin('built')
      return buildPrograms(set, sources, built, context)
    })
    const final = this.#directory(set)
    await rm(final, { recursive: true, force: true })
    await mkdir(join(final, '..'), { recursive: true })
    await rename(built, final)
    await rm(work, { recursive: true, force: true })
    return programsOf(set).map((name) => join(final, name))
  }

  /** Headers and static libraries from the distribution, unpacked beside the build and not installed. */
  async #libraries(packages: readonly string[]): Promise<string> {
    const { layout, signal } = this.#workshop.options
    const root = join(layout.work, `libraries-${packages.join('-')}`)
    const wanted = (await resolvePackages(packages, { signal })).filter(({ name }) => packages.includes(name))
    await unpackPackages(await fetchPackages(wanted, layout.packages, { signal }), root, { signal })
    return root
  }
}
