import { type ErrorKind, exitCodes } from '../src/error/define.ts'
import { type CodeEntry, codes } from '../src/error/index.ts'

const kinds: Readonly<Record<ErrorKind, string>> = {
  config: 'Config',
  connection: 'Reaching hosts',
  preflight: 'Preflight',
  step: 'Steps',
  rollback: 'Rollback',
  locked: 'One run at a time',
  cancelled: 'Cancelled',
  usage: 'Command line',
  bug: 'Bugs',
}

/** The error catalogue in both languages, from the one table. */
export function errorCatalogue(): string {
  const entries = Object.entries(codes as Readonly<Record<string, CodeEntry>>)
  const sections = (Object.keys(kinds) as ErrorKind[]).map((kind) => {
    const own = entries.filter(([, entry]) => entry.kind === kind).sort(([a], [b]) => a.localeCompare(b))
    return own.length === 0
      ? ''
      : `## ${kinds[kind]} (exit code ${exitCodes[kind]})\n\n${own.map(([code, entry]) => section(code, entry)).join('\n')}`
  })
  return [
    '# Errors\n',
    'Every error kubexm reports has a stable code. On the screen it says what failed and where, what was seen, and what to do; words in `{braces}` are filled in.',
    'This page is made from the table in `src/error/codes`: change it there, then run `npm run docs`.\n',
    ...sections.filter((text) => text !== ''),
  ].join('\n')
}

function section(code: string, { en, zh, retryable }: CodeEntry): string {
  return [
    `### ${code}\n`,
    `${en.problem}\n`,
    `- **Cause**: ${en.cause}`,
    `- **Fix**: ${en.fix}`,
    ...(retryable === true ? ['- Tried again by itself where the step allows it.'] : []),
    `- 中文：${zh.problem}。${zh.cause}修复：${zh.fix}\n`,
  ].join('\n')
}
