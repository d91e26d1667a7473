import * as z from 'zod'
import { absolutePath, field, filledText, list, localPath, secret, url, version, whole } from '../primitives.ts'

/** A Helm chart, from a repository or from this machine. */
export const chartSource = z.strictObject({
  name: field(filledText().optional(), 'Name of the chart in its repository.', 'ingress-nginx'),
  repo: field(url().optional(), 'URL of the chart repository (https:// or oci://).', 'https://kubernetes.github.io/ingress-nginx'),
  path: field(localPath().optional(), 'Chart directory or archive on this machine, in place of a repository.', './charts/app.tgz'),
  version: field(filledText().optional(), 'Version of the chart; the newest by default.', '4.12.1'),
  valuesFile: field(localPath().optional(), 'File with values, on this machine.', './values.yaml'),
  values: field(z.union([z.record(z.string(), z.json()), z.array(filledText())]).default({}), 'Values: a map, or a list of name=value.', {
    controller: { kind: 'DaemonSet' },
  }),
  wait: field(z.boolean().default(true), 'Wait until everything in the chart is ready.', true),
})

/** Manifests to apply. */
export const yamlSource = z.strictObject({
  version: field(version().optional(), 'Version, for your information.', 'v0.14.9'),
  path: field(z.array(filledText().meta({ 'x-local': true })).min(1), 'URLs, or files or directories on this machine, in order.', [
    'https://example.com/app.yaml',
  ]),
})

/** Where a built-in component is taken from instead of the source kubexm knows. */
export const sources = field(
  z
    .strictObject({
      chart: chartSource.meta({ description: 'Helm chart.' }).optional(),
      yaml: yamlSource.meta({ description: 'Manifests.' }).optional(),
    })
    .optional(),
  'Take the component from this chart or these manifests instead.',
  { yaml: { path: ['./manifests/calico.yaml'] } },
)

/** Commands before and after something is installed. */
export const hooks = () => field(list(filledText()), 'Commands to run on the first master, in order.', ['kubectl create ns apps'])

const login = z.strictObject({
  username: field(filledText().optional(), 'User name at the registry.', 'robot'),
  password: field(secret().optional(), 'Password at the registry.', { env: 'REGISTRY_PASSWORD' }),
  auth: field(secret().optional(), 'User and password, base64, in place of the two.', { env: 'REGISTRY_AUTH' }),
  skipTLSVerify: field(z.boolean().default(false), 'Accept a certificate that cannot be verified.', false),
  plainHTTP: field(z.boolean().default(false), 'Speak HTTP without TLS.', false),
  certsPath: field(
    absolutePath().optional(),
    'Directory on the hosts with certificates (*.crt, *.cert, *.key) for the registry.',
    '/etc/docker/certs.d/dockerhub.kubexm.local',
  ),
})

/** How to log in to registries and trust them, by registry name. */
export const registryAuths = () =>
  field(z.record(z.string(), login).default({}), 'Login and trust by registry name.', {
    'dockerhub.kubexm.local': { username: 'robot', password: { env: 'REGISTRY_PASSWORD' } },
  })

/** Zones answered by other name servers. */
export const externalZones = () =>
  field(
    list(
      z.strictObject({
        zones: field(z.array(filledText()).min(1), 'Zones, each with a port if it is not 53.', ['example.com', 'example.io:1053']),
        nameservers: field(z.array(filledText()).min(1), 'Servers that answer for them.', ['1.1.1.1']),
        cache: field(whole(0, 86_400).default(5), 'Seconds to keep answers.', 5),
        rewrite: field(list(filledText()), 'Rewrite rules.', ['name substring website.tld website.namespace.svc.cluster.local']),
      }),
    ),
    'Zones answered by other name servers.',
    [{ zones: ['example.com'], nameservers: ['1.1.1.1'], cache: 5 }],
  )
