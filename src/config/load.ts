import { readFile, stat } from 'node:fs/promises'
import { fail, type KubexmError } from '../error/index.ts'
import type { Cluster } from './cluster.ts'
import { type ParseResult, parseCluster } from './parse.ts'
import { renderProblem } from './problem.ts'
import { largestFile } from './tree.ts'

/** Reads a file and checks it; the caller decides what to do with the problems. */
export async function readCluster(file: string): Promise<ParseResult> {
  return parseCluster(await readConfigText(file), file)
}

/** Reads a file; a config that is not valid is one error that shows every problem with its place. */
export async function loadCluster(file: string): Promise<Cluster> {
  const result = await readCluster(file)
  if (result.cluster === null) throw configError(file, result)
  return result.cluster
}

/** One error for all that is wrong in a file: its evidence is the problems themselves, each with line, caret and fix. */
export function configError(file: string, { errors }: Pick<ParseResult, 'errors'>): KubexmError {
  const count = errors.length === 1 ? 'one error' : `${errors.length} errors`
  return fail('KX_CONFIG', { file, count }, { seen: errors.map((problem) => renderProblem(problem)).join('\n') })
}

/** The text of a config file. */
export async function readConfigText(file: string): Promise<string> {
  try {
    // A file too large to be a config is not read at all; its first part is enough to say so.
    const { size } = await stat(file)
    return size > 2 * largestFile ? ' '.repeat(largestFile + 1) : await readFile(file, 'utf8')
  } catch (cause) {
    throw fail('KX_CONFIG_UNREADABLE', { file, why: cause instanceof Error ? cause.message : String(cause) }, { cause })
  }
}
