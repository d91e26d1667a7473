import { isIP } from 'node:net'
import * as z from 'zod'
import { parseCidr } from '../util/ip.ts'
import type { Json } from '../util/json.ts'
import { SecretSource } from './secret.ts'

/**
 * Documents a field: a sentence, an example, and the version that brought it. Reference documentation, `config explain`, the JSON
 * Schema and the CRD are made from these.
 */
export const field = <S extends z.ZodType>(schema: S, about: string, example: Json, since = '0.1.0'): S =>
  schema.meta({ description: about, 'x-example': example, 'x-since': since })

/** A group of fields that may be left out altogether: its fields then have their defaults. */
export const group = <S extends z.ZodRawShape>(shape: S, about: string) =>
  z
    .strictObject(shape)
    .prefault({} as z.input<z.ZodObject<S, z.core.$strict>>)
    .meta({ description: about })

/** A group of fields that is absent unless the user writes it. */
export const optionalGroup = <S extends z.ZodRawShape>(shape: S, about: string) =>
  z.strictObject(shape).meta({ description: about }).optional()

/** A form of text: `error` holds the words of the message, the example is shown beside them. */
interface Form {
  readonly expected: string
  readonly example: string
}
const forms = new Map<string, Form>()

/** The form a failed check was about, from the message it left. */
export const formOf = (message: string): Form | undefined => forms.get(message)

/** A text that matches a pattern (which the JSON Schema carries) and, where a pattern is too weak, a check in code. */
export function text(pattern: RegExp, expected: string, example: string, holds: (value: string) => boolean = () => true) {
  forms.set(expected, { expected, example })
  return z.string().regex(pattern, { error: expected }).refine(holds, { error: expected })
}

const dnsLabel = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?'
const dnsName = `${dnsLabel}(\\.${dnsLabel})*`

export const filledText = () => text(/\S/, 'a text that is not empty', 'abc')
export const ip = () => text(/^[0-9a-fA-F.:]+$/, 'an IPv4 or IPv6 address', '172.16.0.2', (value) => isIP(value) !== 0)
export const cidr = () => text(/^[0-9a-fA-F.:]+\/\d{1,3}$/, 'a CIDR', '10.233.64.0/18', (value) => parseCidr(value) !== null)
export const hostName = () => text(new RegExp(`^${dnsName}$`), 'a host name of lower-case letters, digits and dashes', 'node1')
export const domain = () => text(new RegExp(`^${dnsName}$`), 'a domain name', 'lb.kubexm.local')
export const ipOrDomain = () => text(/^[0-9a-zA-Z.:-]+$/, 'an address or a domain name', '192.168.8.8', isAddressOrName)
/** A name whose last part is a number would be taken for an address: 172.16.0.300 is a slip, not a domain. */
const isAddressOrName = (value: string): boolean =>
  isIP(value) !== 0 || (new RegExp(`^${dnsName}$`).test(value.toLowerCase()) && !/(^|\.)\d+$/.test(value))

export const absolutePath = () => text(/^\/[^\0]*$/, 'an absolute path', '/var/lib/etcd')
/** A path on the machine kubexm runs on: a config with one cannot be sent elsewhere. */
export const localPath = () => text(/^[^\0\s][^\0]*$/, 'a path on this machine', '~/.ssh/id_ed25519').meta({ 'x-local': true })
export const url = () => text(/^[a-z][a-z0-9+.-]*:\/\/\S+$/, 'a URL', 'https://192.168.6.6:2379')
export const version = () => text(/^v?\d+\.\d+\.\d+([-+.][0-9A-Za-z.-]+)?$/, 'a version with three numbers', 'v1.32.4')
export const quantity = () => text(/^\d+(\.\d+)?(m|k|Ki|M|Mi|G|Gi|T|Ti|%)?$/, 'a quantity', '500Mi')
export const duration = () => text(/^(\d+(\.\d+)?(ms|s|m|h|d|y))+$/, 'a duration', '8760h')
export const port = () => whole(1, 65535)

/** A whole number between two bounds. */
export const whole = (least: number, most = Number.MAX_SAFE_INTEGER) => z.int().min(least).max(most)

/** A list that is empty by default. */
export const list = <S extends z.ZodType>(of: S) => z.array(of).default([])

/** Users write one value or several: both become a list. A text may also hold several, separated by commas. */
export const oneOrMore = <S extends z.ZodType<string, string>>(of: S) =>
  z
    .union([z.string(), z.array(of)])
    .transform((value) => (typeof value === 'string' ? splitCommas(value) : value))
    .pipe(z.array(of) as unknown as z.ZodType<string[], string[]>)

const splitCommas = (value: string): string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

const scalar = z.union([z.string(), z.number(), z.boolean()])

/** Words by name: labels, sysctls. Numbers and booleans are taken as the text they were written as. */
export const words = () => z.record(z.string(), scalar.transform(String)).default({})

/** Switches by name: feature gates. */
export const switches = () => z.record(z.string(), z.boolean()).default({})

/** Command-line arguments: a map from name to value, or a list of `--name=value`. */
export const extraArgs = () =>
  z
    .union([z.record(z.string(), scalar), z.array(z.string())])
    .transform((value) => (Array.isArray(value) ? argumentsOf(value) : namesWithoutDashes(value)))
    .default({})

const argumentsOf = (flags: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    flags.map((flag) => [flag.replace(/^-+/, '').split('=')[0] ?? '', flag.includes('=') ? flag.slice(flag.indexOf('=') + 1) : 'true']),
  )

const namesWithoutDashes = (args: Readonly<Record<string, string | number | boolean>>): Record<string, string> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name.replace(/^-+/, ''), String(value)]))

/** Settings merged last into a component's own configuration: anything goes, the component is the judge. */
export const overlay = () => z.record(z.string(), z.json()).default({})

/** A secret: a literal (a warning), an environment variable, a file, or a question. */
export const secret = () =>
  z
    .union([
      z.string().min(1),
      z.number(),
      z.strictObject({ env: text(/^[A-Za-z_]\w*$/, 'the name of an environment variable', 'NODE_PASSWORD') }),
      z.strictObject({ file: localPath() }),
      z.strictObject({ prompt: z.union([z.literal(true), z.string().min(1)]) }),
    ])
    .transform((value): SecretSource => {
      if (typeof value !== 'object') return SecretSource.literal(String(value))
      if ('env' in value) return new SecretSource({ kind: 'env', name: value.env })
      if ('file' in value) return new SecretSource({ kind: 'file', path: value.file })
      return new SecretSource({ kind: 'prompt', question: value.prompt === true ? 'Secret' : value.prompt })
    })
