import { stringify } from 'yaml'

const labels = { app: 'echo' }

/** The port every host answers on for the echo service. */
export const echoNodePort = 30080

/** The lab's own test program: it answers HTTP with `node=<name>`, and `/probe get <url>` asks. */
export const probeImage = 'kubexm.local/lab/probe:v1'

/** A small web server on every node that answers with the node's name: to see a cluster work. */
export function echoWorkload(): string {
  const container = {
    name: 'echo',
    image: probeImage,
    command: ['sh', '-c', 'echo "serving on $NODE_NAME"; exec /probe serve'],
    env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
    readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
  }
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'echo', namespace: 'default' },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { terminationGracePeriodSeconds: 0, tolerations: [{ operator: 'Exists' }], containers: [container] },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'echo', namespace: 'default' },
      spec: { type: 'NodePort', selector: labels, ports: [{ port: 80, targetPort: 8080, nodePort: echoNodePort }] },
    },
  ]
    .map((object) => stringify(object))
    .join('---\n')
}
