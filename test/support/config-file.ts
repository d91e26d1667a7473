import { readFile, writeFile } from 'node:fs/promises'
import { parseDocument } from 'yaml'
import type { Json } from '../../src/util/json.ts'

/** Sets fields of a config file, named by their path below `spec`: `hosts.1.arch`. */
export async function setInConfig(file: string, fields: Readonly<Record<string, Json>>): Promise<void> {
  const document = parseDocument(await readFile(file, 'utf8'))
  for (const [path, value] of Object.entries(fields)) {
    const keys = path.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key))
    document.setIn(['spec', ...keys], document.createNode(value))
  }
  await writeFile(file, document.toString())
}
