import type { Finding } from '../../event/index.ts'
import type { Style } from '../style.ts'
import { harmless, names, width, wrap } from '../text.ts'
import { count } from './words.ts'

/** A finding and the host it was made on. */
export interface HostFinding {
  readonly host: string
  readonly finding: Finding
}

const byHost = new Intl.Collator('en', { numeric: true })

/** More kinds of trouble than this at once are better read in the log. */
const most = 30

/** All findings of a task, errors first; what was found alike on several hosts is said once. */
export function findingLines(found: readonly HostFinding[], style: Style, columns: number): readonly string[] {
  const groups = new Map<string, { readonly finding: Finding; readonly hosts: string[] }>()
  for (const { host, finding } of found) {
    const key = [finding.severity, finding.code, finding.problem].join('\n')
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { finding, hosts: [host] })
    else group.hosts.push(host)
  }
  const sorted = [...groups.values()].sort((a, b) => Number(a.finding.severity === 'warning') - Number(b.finding.severity === 'warning'))
  const lines = sorted.slice(0, most).flatMap(({ finding, hosts }) => groupLines(finding, hosts.sort(byHost.compare), style, columns))
  return sorted.length > most ? [...lines, style.faint(`  … and ${count(sorted.length - most, 'more finding')}`)] : lines
}

function groupLines(finding: Finding, hosts: readonly string[], style: Style, columns: number): readonly string[] {
  const [paint, icon] = finding.severity === 'error' ? [style.bad, style.icons.failed] : [style.caution, style.icons.warning]
  const start = `${icon} ${finding.code}  `
  const place = hosts.length > 3 ? `${count(hosts.length, 'host')} (${names(hosts, Math.max(20, columns - 30))})` : hosts.join(', ')
  const text = `${place}: ${harmless(finding.problem)}`
  const [first = '', ...rest] = wrap(text, Math.max(20, columns - width(start)))
  return [`${paint(start.trimEnd())}  ${first}`, ...rest.map((line) => `  ${line}`), style.faint(`  Fix: ${harmless(finding.fix)}`)]
}
