import type { ImageConfig } from '../../resource/oci/types.ts'

/** One Go module and the programs built from it. */
export interface GoModule {
  readonly module: string
  readonly version: string
  /** Program name → package path inside the module. */
  readonly packages: Readonly<Record<string, string>>
  readonly ldflags?: readonly string[]
  readonly tags?: readonly string[]
  /** Needs a C compiler and is linked statically. */
  readonly cgo?: true
  /** Distribution packages whose headers and libraries the build needs, unpacked privately. */
  readonly libraries?: readonly string[]
  /** Kubernetes keeps its libraries in the same tree: they are taken from their own modules of this version instead. */
  readonly stagingVersion?: string
  /** Modules its go.mod names that no program of the set needs, and that are not to be had in every version. */
  readonly unneeded?: readonly string[]
  readonly replace?: Readonly<Record<string, string>>
  /** Text changes to the source; one that does not apply exactly once fails the build. */
  readonly patches?: readonly { readonly file: string; readonly find: string; readonly replace: string }[]
}

/** A program whose source is kubexm's own. */
export interface OwnProgram {
  readonly program: string
  readonly files: Readonly<Record<string, string>>
}

/** Programs that are built together and share a version. */
export interface ProgramSet {
  readonly name: string
  readonly version: string
  readonly modules: readonly GoModule[]
  readonly own?: readonly OwnProgram[]
  /** Said when what is built is not exactly what its name promises. */
  readonly standIn?: string
}

/** Files for a layer: programs by path, links, directories, and whole distribution packages. */
export interface LayerRecipe {
  readonly programs?: Readonly<Record<string, string>>
  readonly texts?: Readonly<Record<string, string>>
  readonly links?: Readonly<Record<string, string>>
  readonly directories?: Readonly<Record<string, number>>
  /** Distribution packages with all they depend on, without documentation and maintainer scripts. */
  readonly packages?: readonly string[]
}

/** An image: layers, how it starts, and the set its programs come from. */
export interface ImageRecipe {
  readonly image: string
  readonly set: string | null
  readonly layers: readonly LayerRecipe[]
  readonly config: ImageConfig
  readonly standIn?: string
}

/** A file in its publisher's form: one program as it is, or an archive of programs. */
export interface FileRecipe {
  /** The catalogue's name of the file. */
  readonly file: string
  readonly version: string
  /** Id of the set its programs come from. */
  readonly set: string
  /** Never downloaded, because the lab's own build differs. */
  readonly alwaysBuild?: true
}

/** The id of a program set: what records and events call it. */
export const setId = (set: Pick<ProgramSet, 'name' | 'version'>): string => `${set.name}@${set.version}`

/** The names of all programs a set builds. */
export const programsOf = (set: ProgramSet): readonly string[] => [
  ...set.modules.flatMap((module) => Object.keys(module.packages)),
  ...(set.own ?? []).map((own) => own.program),
]
