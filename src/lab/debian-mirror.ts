import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Where Debian comes from: what was asked for, else where this machine gets it, else null for the installer's own choice. */
export async function debianMirror(apt = '/etc/apt'): Promise<string | null> {
  if (process.env.KUBEXM_LAB_MIRROR !== undefined) return process.env.KUBEXM_LAB_MIRROR
  const parts = await readdir(join(apt, 'sources.list.d')).catch(() => [])
  const files = ['sources.list', ...parts.sort().map((name) => join('sources.list.d', name))]
  for (const file of files) {
    const text = await readFile(join(apt, file), 'utf8').catch(() => '')
    const found = /^(?:deb (?:\[[^\]]*\] )?|URIs: )(https?:\/\/\S+\/debian\/?)(?=\s|$)/m.exec(text)
    if (found?.[1] !== undefined) return found[1]
  }
  return null
}
