import { isMap } from './places.ts'
import type { Problems } from './problem.ts'
import { isLiteral, isSecretPlace, valuesOf } from './secret-places.ts'
import type { Tree } from './tree.ts'

/** Files whose place the one who runs the config chooses: a path there is of no consequence. */
const harmless: ReadonlySet<string> = new Set(['workDir', 'knownHosts'])

/**
 * Reports what makes a config depend on the machine it was written on, or lets it reach into the machine that runs it: a server must not
 * give its files and variables to whoever sends a config, nor be turned into a node of somebody's cluster.
 */
export function refuseLocal(tree: Tree, problems: Problems): void {
  for (const found of valuesOf(tree)) {
    const { holder, key, value, schema, place } = found
    const [start, end] = place.value
    const at = { start, end, path: place.path }
    if (isSecretPlace(found) && !isLiteral(value) && isMap(value)) {
      const kind = Object.keys(value)[0] ?? ''
      problems.add('error', 'KX_CONFIG_NOT_PORTABLE', { what: words[kind] ?? 'a reference', how: 'send the secret itself' }, at)
    } else if (schema?.['x-local'] === true && !harmless.has(String(key)) && typeof value === 'string' && !value.includes('://')) {
      problems.add('error', 'KX_CONFIG_NOT_PORTABLE', { what: `the file ${value}`, how: howTo(String(key)) }, at, value)
    } else if (key === 'type' && value === 'local' && isMap(holder) && 'address' in holder) {
      const how = 'reach the machine by SSH, or start the server with --trust-configs'
      problems.add('error', 'KX_CONFIG_NOT_PORTABLE', { what: 'a host of type local', how }, at, 'local')
    }
  }
}

const words: Readonly<Record<string, string>> = {
  env: 'an environment variable',
  file: 'a file',
  prompt: 'a question to the person at the terminal',
}

const howTo = (key: string): string =>
  key === 'privateKeyPath'
    ? 'send the key itself as privateKey (kubexm --server does so)'
    : 'give it by URL, or start the server with --trust-configs'
