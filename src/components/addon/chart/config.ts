import * as z from 'zod'
import { field, filledText, list, localPath, url, version } from '../../../config/primitives.ts'

/** A Helm chart, from a repository or from this machine. */
export const chartSource = z.strictObject({
  name: field(filledText().optional(), 'Name of the chart in its repository.', 'ingress-nginx'),
  repo: field(url().optional(), 'URL of the chart repository (https:// or oci://).', 'https://kubernetes.github.io/ingress-nginx'),
  path: field(localPath().optional(), 'Chart directory or archive on this machine, in place of a repository.', './charts/app.tgz'),
  version: field(filledText().optional(), 'Version of the chart; the newest by default.', '4.12.1'),
  valuesFile: field(localPath().optional(), 'File with values, on this machine.', './values.yaml'),
  values: field(z.union([z.record(z.string(), z.json()), z.array(filledText())]).default({}), 'Values: a map, or a list of name=value.', { controller: { kind: 'DaemonSet' } }),
  wait: field(z.boolean().default(true), 'Wait until everything in the chart is ready.', true),
})

/** Manifests to apply. */
export const yamlSource = z.strictObject({
  version: field(version().optional(), 'Version, for your information.', 'v0.14.9'),
  path: field(z.array(filledText()).min(1), 'URLs, or files or directories on this machine, in order.', ['https://example.com/app.yaml']),
})

/** Where a built-in component is taken from instead of the source kubexm knows. */
export const sources = field(
  z.strictObject({ chart: chartSource.optional(), yaml: yamlSource.optional() }).optional(),
  'Take the component from this chart or these manifests instead.',
  { yaml: { path: ['./manifests/calico.yaml'] } },
)

/** Commands before and after something is installed. */
export const hooks = () => field(list(filledText()), 'Commands to run on the first master, in order.', ['kubectl create ns apps'])
