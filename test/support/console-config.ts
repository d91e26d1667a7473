/** The password in the configs of these tests: it must not be seen anywhere again. */
export const hiddenPassword = 'never-shown-again'

/** A config for so many hosts, as somebody would write it into the console. */
export function consoleConfig(name: string, hosts: number, { address = '172.16.0', port = 22 } = {}): string {
  const lines = Array.from({ length: hosts }, (_, at) => `    - { name: node${at + 1}, address: ${address}.${at + 2}, port: ${port} }`)
  return [
    'apiVersion: kubexm.mensylisir.io/v1alpha1',
    'kind: Cluster',
    'metadata:',
    `  name: ${name}`,
    'spec:',
    '  hosts:',
    ...lines,
    '  global:',
    '    user: ubuntu',
    `    password: ${hiddenPassword}`,
    '  network:',
    '    plugin: flannel',
    '    kubePodsCIDR: 10.64.0.0/14',
    '  roleGroups:',
    '    master: [node1]',
    `    worker: [${hosts === 1 ? 'node1' : `"node[2:${hosts}]"`}]`,
    '',
  ].join('\n')
}
