import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { machineArch } from '../../src/lab/mirror/contents.ts'
import { builtInCatalogue, catalogueFile } from '../../src/resource/catalogue.ts'
import type { Json } from '../../src/util/json.ts'
import type { ClusterLab } from './cluster-lab.ts'
import { setInConfig } from './config-file.ts'

/** What users bring themselves: it runs on the last host of the lab, which is not of the cluster. */
export type Beside = 'etcd' | 'balancer'

/** Starts it there, and lets the config name it. */
export async function standBeside(cluster: ClusterLab, what: Beside): Promise<void> {
  const host = cluster.lab.hosts.at(-1)
  if (host === undefined) throw new Error('there is no host to stand on')
  await setInConfig(cluster.config, await starts[what](cluster, host))
}

type Host = ClusterLab['lab']['hosts'][number]

const starts: Readonly<Record<Beside, (cluster: ClusterLab, host: Host) => Promise<Readonly<Record<string, Json>>>>> = {
  etcd: ownEtcd,
  balancer: ownBalancer,
}

const run = promisify(execFile)
const etcdVersion = 'v3.6.5'

/** One member that knows nothing of kubexm, with an authority of its own. */
async function ownEtcd({ lab, directory, env }: ClusterLab, { name, ipv4 }: Host): Promise<Readonly<Record<string, Json>>> {
  const { url } = catalogueFile(builtInCatalogue, 'etcd', etcdVersion, machineArch())
  const certificates = join(directory, 'own-etcd')
  const files = await etcdCertificates(certificates, ipv4)
  const place = async (file: string): Promise<string> => `cat > ${file} <<'END'\n${await readFile(join(certificates, file), 'utf8')}END`
  await lab.onHost(
    name,
    `mkdir -p /srv/own-etcd; cd /srv/own-etcd
curl -sSf ${url.replace('https:/', env.KUBEXM_MIRROR ?? '')} | tar -xz --strip-components=1
${(await Promise.all(['ca.crt', 'server.crt', 'server.key'].map(place))).join('\n')}
systemd-run -q --unit=own-etcd -p WorkingDirectory=/srv/own-etcd /srv/own-etcd/etcd --name=own --data-dir=data \\
  --listen-client-urls=https://0.0.0.0:2379 --advertise-client-urls=https://${ipv4}:2379 \\
  --cert-file=server.crt --key-file=server.key --client-cert-auth --trusted-ca-file=ca.crt
for try in $(seq 100); do ss -H -l -n -t | grep -q ':2379 ' && exit; sleep 0.1; done; journalctl -u own-etcd; exit 1`,
  )
  return {
    'etcd.type': 'external',
    'etcd.external': { endpoints: [`https://${ipv4}:2379`], ...files },
    'roleGroups.etcd': [],
  }
}

/** An authority, a certificate for the member, and one for its clients; gives what the config names. */
async function etcdCertificates(directory: string, address: string) {
  await mkdir(directory, { recursive: true })
  const at = (name: string): string => join(directory, name)
  const openssl = (...args: readonly string[]): Promise<unknown> => run('openssl', args)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await openssl('req', '-x509', ...key, '-days', '2', '-subj', '/CN=own-etcd-ca', '-keyout', at('ca.key'), '-out', at('ca.crt'))
  const leaves = {
    server: `subjectAltName=IP:${address}\nextendedKeyUsage=serverAuth,clientAuth\n`,
    client: 'extendedKeyUsage=clientAuth\n',
  }
  for (const [name, extensions] of Object.entries(leaves)) {
    await writeFile(at(`${name}.ext`), extensions)
    await openssl('req', ...key, '-subj', `/CN=own-etcd-${name}`, '-keyout', at(`${name}.key`), '-out', at(`${name}.csr`))
    const signed = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '2', '-extfile', at(`${name}.ext`)]
    await openssl('x509', '-req', '-in', at(`${name}.csr`), ...signed, '-out', at(`${name}.crt`))
  }
  return { caFile: at('ca.crt'), certFile: at('client.crt'), keyFile: at('client.key') }
}

/** Not the port of the API servers: whoever mixes the two up is found out. */
export const balancerPort = 8443

/** The distribution's haproxy, as somebody would set it up who has read nothing but its manual. */
async function ownBalancer({ lab, config }: ClusterLab, { name, ipv4 }: Host): Promise<Readonly<Record<string, Json>>> {
  const masters = /master:\n((?: +- \S+\n)+)/.exec(await readFile(config, 'utf8'))?.[1]?.match(/node\d+/g) ?? []
  const servers = masters.map((master) => `  server ${master} ${lab.hosts.find((host) => host.name === master)?.ipv4}:6443 check inter 1s`)
  await lab.onHost(
    name,
    `apt-get -qq install -y haproxy >/dev/null 2>&1
cat > /etc/haproxy/haproxy.cfg <<'END'
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  option redispatch 1
frontend api
  bind :${balancerPort}
  default_backend api
backend api
  option ssl-hello-chk
${servers.join('\n')}
END
systemctl restart haproxy`,
  )
  return {
    'controlPlaneEndpoint.externalLoadBalancer': 'external',
    'controlPlaneEndpoint.internalLoadbalancer': '',
    'controlPlaneEndpoint.lb_address': ipv4,
    'controlPlaneEndpoint.port': balancerPort,
  }
}
