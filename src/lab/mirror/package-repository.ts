import { basename } from 'node:path'
import { indexPackages } from '../package-repository.ts'
import { fetchPackages, resolvePackages } from './debian.ts'
import type { Item, Workshop } from './workshop.ts'

/** The distribution's packages as a flat repository: `deb [trusted=yes] http://mirror/packages ./`. */
export function packageRepository(workshop: Workshop, names: readonly string[]): Item {
  const { layout, signal } = workshop.options
  return {
    id: 'packages',
    recipe: { packages: names },
    make: async (begin) => {
      begin('packaged')
      const files = await fetchPackages(await resolvePackages(names, { signal }), layout.packages, { signal })
      const indexes = await indexPackages(
        layout.packages,
        files.map((file) => basename(file)),
      )
      return [...files, ...indexes]
    },
  }
}
