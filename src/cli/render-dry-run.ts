import type { DryRun } from '../app/index.ts'
import type { KubexmError } from '../error/index.ts'

type Found = DryRun & { readonly lost: ReadonlyMap<string, KubexmError> }

/** What a run would change, for people or for programs. */
export function renderDryRun(found: Found, output: 'text' | 'json'): string {
  return output === 'json' ? `${JSON.stringify(asData(found), null, 2)}\n` : asText(found)
}

function asData({ planned, findings, satisfied, lost }: Found) {
  return {
    satisfied,
    findings,
    unreached: [...lost].map(([host, { code, message, fix }]) => ({ host, code, problem: message, fix })),
    changes: planned.map(({ node, changes, unknown }) => ({
      host: node.host,
      module: node.module,
      task: node.task,
      step: node.step.name,
      title: node.title,
      does: changes.map((change) => change.does),
      unknown: unknown?.message ?? null,
    })),
  }
}

function asText({ planned, findings, satisfied, lost }: Found): string {
  const lines = [...lost].flatMap(([host, { code, message, fix }]) => [`✘ ${host}: ${code} ${message}`, `    Fix: ${fix}`])
  for (const finding of findings)
    lines.push(`${finding.severity === 'error' ? '✘' : '!'} ${finding.host}: ${finding.code} ${finding.problem}`, `    Fix: ${finding.fix}`)
  const hosts = Map.groupBy(planned, ({ node }) => node.host)
  for (const [host, steps] of hosts) {
    lines.push(host)
    for (const { node, changes, unknown } of steps) {
      lines.push(`  ${node.title}  (${node.step.name})`)
      for (const { does } of changes) lines.push(`    ${node.mode === 'remove' ? '-' : '+'} ${does}`)
      if (unknown !== null) lines.push(`    ? cannot be told yet: ${unknown.message}`)
    }
  }
  const summary =
    planned.length === 0
      ? `nothing to change: ${satisfied} steps are as wanted`
      : `${planned.length} steps would change something on ${hosts.size} hosts, ${satisfied} are as wanted`
  return `${[...lines, summary].join('\n')}\n`
}
