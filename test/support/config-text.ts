import { stringify } from 'yaml'

type Value = unknown
type Edit = Readonly<Record<string, Value>>

/** A valid config of three masters and two workers, changed at some paths: `{ 'spec.etcd.type': 'external' }`; undefined removes. */
export function configText(edits: Edit = {}): string {
  const config: Record<string, Value> = {
    apiVersion: 'kubexm.mensylisir.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name: 'test' },
    spec: {
      hosts: [1, 2, 3, 4, 5].map((n) => ({ name: `node${n}`, address: `172.16.0.${n + 1}` })),
      roleGroups: { master: ['node[1:3]'], worker: ['node[4:5]'] },
      controlPlaneEndpoint: { internalLoadbalancer: 'haproxy' },
      kubernetes: { version: 'v1.32.4' },
    },
  }
  for (const [path, value] of Object.entries(edits)) set(config, path.split('.'), value)
  return stringify(config)
}

function set(holder: Record<string, Value>, [name = '', ...rest]: readonly string[], value: Value): void {
  if (rest.length === 0) {
    if (value === undefined) delete holder[name]
    else holder[name] = value
    return
  }
  holder[name] ??= {}
  set(holder[name] as Record<string, Value>, rest, value)
}
