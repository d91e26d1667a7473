import type { Json } from '../util/json.ts'
import { aliases, valueAliases } from './aliases.ts'
import { isListed } from './field-use.ts'
import { allFields, type Field } from './fields.ts'
import { onOneLine } from './schema-index.ts'

/** The reference of every field as Markdown, made from the schema; fields no code reads yet are marked. */
export function renderConfigDocs(unused: readonly string[]): string {
  const fields = allFields()
  const isUnused = (field: Field): boolean => !field.isGroup && isListed(field.path, unused)
  const table = (title: string, rows: readonly Field[], section?: Field) => renderTable(title, rows, isUnused, section)
  const sections = fields.filter(
    ({ path, isGroup }) => /^spec\.\w+$/.test(path) && (isGroup || path === 'spec.hosts' || path === 'spec.addons'),
  )
  return [
    '# The config, field by field',
    '',
    '<!-- Made by npm run docs from the schema; do not edit. -->',
    '',
    'One YAML file describes one cluster. `kubexm config init` writes a starter, `kubexm config validate -f FILE` reports everything that is wrong with its line and column,',
    '`kubexm config explain spec.etcd.type` shows one field, `kubexm config schema` prints the JSON Schema for editors, `kubexm config convert` reads the files of KubeKey v3.',
    '',
    '* A **secret** is `{env: NAME}`, `{file: PATH}` or `{prompt: QUESTION}`; a literal text is accepted with a warning.',
    '* A list of hosts may hold ranges: `node[5:7]` is node5, node6 and node7; `node[01:12]` keeps its zeros.',
    '* A field marked *not used yet* is accepted and checked, but no code reads it so far.',
    '',
    ...table(
      'Identity',
      fields.filter(({ path }) => !path.startsWith('spec')),
    ),
    ...sections.flatMap((section) =>
      table(
        `\`${section.path}\``,
        fields.filter(({ path }) => path.startsWith(`${section.path}.`) || path.startsWith(`${section.path}[]`)),
        section,
      ),
    ),
    '## Other spellings',
    '',
    'Accepted, with a notice that names the canonical spelling.',
    '',
    '| written | means |',
    '|---|---|',
    ...aliases.map(({ from, to }) => `| \`${from}\` | \`${to}\` |`),
    ...Object.entries(valueAliases).flatMap(([path, words]) =>
      Object.entries(words).map(([word, canonical]) => `| \`${path}: ${word}\` | \`${path}: ${onOneLine(canonical)}\` |`),
    ),
    '| `spec.extra.hosts[]: {ip, hostnames}` | one entry `{domain, address}` for each name |',
    '| `spec.extra.resolves: {nameservers}` | `spec.extra.resolves[]: {address}` |',
    '| `spec.addons[].sources` | `spec.addons[].chart`, `spec.addons[].yaml` |',
    '',
    '## Accepted, not used yet',
    '',
    unused.length === 0
      ? 'Nothing: every field is read.'
      : `${fields.filter(isUnused).length} of ${fields.filter(({ isGroup }) => !isGroup).length} fields. A trailing \`.*\` stands for all fields of a group.`,
    '',
    ...unused.map((path) => `* \`${path}\``),
    '',
  ].join('\n')
}

function renderTable(title: string, fields: readonly Field[], isUnused: (field: Field) => boolean, section?: Field): readonly string[] {
  const rows = fields.map(
    (field) =>
      `| \`${field.path}\` | ${cell(field.type)} | ${defaultCell(field)} | ${cell(field.about)}${isUnused(field) ? ' *Not used yet.*' : ''} | ${code(field.example)} | ${field.isGroup ? '' : field.since} |`,
  )
  return [
    `## ${title}`,
    '',
    ...(section === undefined ? [] : [section.about, '']),
    '| field | type | default | meaning | example | since |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ]
}

const defaultCell = (field: Field): string => (field.isRequired ? '**required**' : code(field.default))
const code = (value: Json | undefined): string => (value === undefined ? '' : `\`${cell(shorten(onOneLine(value)))}\``)
const shorten = (text: string): string => (text.length > 90 ? `${text.slice(0, 87)}…` : text)
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
