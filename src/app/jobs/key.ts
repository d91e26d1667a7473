import { readFile } from 'node:fs/promises'
import { fail } from '../../error/index.ts'
import { loadSealingKey, type SealingKey, sealingKey } from '../../util/sealing.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The key secrets of jobs are sealed with: from the environment, from a file it names, or else from a file beside an embedded database. */
export async function jobKey(env: Environment, beside: string | null): Promise<SealingKey> {
  if (env.KUBEXM_SEALING_KEY !== undefined) return keyOf(env.KUBEXM_SEALING_KEY, 'KUBEXM_SEALING_KEY')
  const file = env.KUBEXM_SEALING_KEY_FILE
  if (file !== undefined) return keyOf(await read(file), file)
  if (beside !== null) return loadSealingKey(beside)
  // A key made here would be one that no other worker has.
  throw fail('KX_SEAL_KEY', { from: 'KUBEXM_SEALING_KEY', why: 'it is not set, and a database of several processes needs one' })
}

function keyOf(text: string, from: string): SealingKey {
  if (!/^[0-9a-f]{64}$/i.test(text.trim())) throw fail('KX_SEAL_KEY', { from, why: 'it is not 64 hexadecimal digits' })
  return sealingKey(Buffer.from(text.trim(), 'hex'))
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw fail('KX_SEAL_KEY', { from: file, why: (cause as Error).message }, { cause })
  }
}
