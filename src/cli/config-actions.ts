import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type Cluster,
  convertConfig,
  explain,
  type InitOptions,
  initConfig,
  jsonSchema,
  type ParseResult,
  readCluster,
  renderProblem,
  roles,
  schemaFile,
} from '../config/index.ts'
import { fail, type Language } from '../error/index.ts'

/** What a command has to say: text for standard output, and the exit code. Files it wants written are named with their content. */
export interface CommandResult {
  readonly text: string
  readonly exitCode: number
  readonly files?: readonly { readonly path: string; readonly text: string }[]
}

interface OutputOptions {
  readonly output?: 'text' | 'json'
  readonly language?: Language
}

/** Exit code for a config that is not valid. */
const invalidConfig = 10

/** Checks a file and reports everything that is wrong or doubtful in it. */
export async function configValidate(file: string, { output = 'text', language = 'en' }: OutputOptions = {}): Promise<CommandResult> {
  const result = await readCluster(file)
  const exitCode = result.cluster === null ? invalidConfig : 0
  if (output === 'json') {
    const text = JSON.stringify({ file, valid: result.cluster !== null, errors: result.errors, warnings: result.warnings }, null, 2)
    return { text: `${text}\n`, exitCode }
  }
  return { text: renderResult(file, result, language), exitCode }
}

function renderResult(file: string, { cluster, errors, warnings }: ParseResult, language: Language): string {
  const shown = [...warnings, ...errors].map((problem) => renderProblem(problem, language))
  const counted = `${count(errors.length, 'error')}, ${count(warnings.length, 'warning')}`
  const summary =
    cluster === null
      ? `✗ ${file} is not valid: ${counted}`
      : `✓ ${file} is valid: ${describe(cluster)}${warnings.length === 0 ? '' : `; ${count(warnings.length, 'warning')}`}`
  return `${[...shown, summary].join('\n\n')}\n`
}

const count = (n: number, noun: string): string => `${n === 0 ? 'no' : n} ${noun}${n === 1 ? '' : 's'}`

function describe({ metadata, spec }: Cluster): string {
  const groups = roles.filter((role) => spec.roleGroups[role].length > 0).map((role) => `${spec.roleGroups[role].length} ${role}`)
  return `cluster ${metadata.name}, ${count(spec.hosts.length, 'host')} (${groups.join(', ')}), Kubernetes ${spec.kubernetes.version} by ${spec.kubernetes.type}`
}

/** A starter config, and beside it the JSON Schema its first line points editors to. */
export function configInit(options: InitOptions, file: string): CommandResult {
  return {
    text: '',
    exitCode: 0,
    files: [
      { path: file, text: initConfig(options) },
      { path: join(dirname(file), options.schema ?? schemaFile), text: configSchema().text },
    ],
  }
}

/** The JSON Schema of a config. */
export const configSchema = (): CommandResult => ({ text: `${JSON.stringify(jsonSchema(), null, 2)}\n`, exitCode: 0 })

/** What a field means. */
export const configExplain = (path: string): CommandResult => ({ text: explain(path), exitCode: 0 })

/** A config of KubeKey v3, or in another spelling, as ours; what could not be kept is listed in its first lines. */
export async function configConvert(file: string, { output = 'text' }: OutputOptions = {}): Promise<CommandResult> {
  const { text, lost, secrets, result } = convertConfig(await readText(file), file)
  const exitCode = result.cluster === null ? invalidConfig : 0
  if (output === 'json')
    return {
      text: `${JSON.stringify({ file, converted: text, lost, secrets, errors: result.errors, warnings: result.warnings }, null, 2)}\n`,
      exitCode,
    }
  const notes = [
    ...secrets.map(({ path, variable }) => `# ${path} is taken from the environment variable ${variable}: set it before a run`),
    ...result.errors.map(({ line, problem, path }) => `# to mend, line ${line}: ${path}: ${problem}`),
  ]
  return { text: [...notes, text].join('\n'), exitCode }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw fail('KX_CONFIG_UNREADABLE', { file, why: cause instanceof Error ? cause.message : String(cause) }, { cause })
  }
}
