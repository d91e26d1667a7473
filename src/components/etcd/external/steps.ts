import { mastersOf } from '../../../config/index.ts'
import { KubexmError } from '../../../error/index.ts'
import { type Finding, finding } from '../../../event/index.ts'
import { sh } from '../../../runner/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { defineCheck } from '../../../step/index.ts'
import { Secret } from '../../../util/secret.ts'
import { seconds } from '../../../util/time.ts'

/** What the API servers will show to the user's etcd, and how they know it; null for what the config does not name. */
interface Proof {
  readonly authority: string | null
  readonly client: { readonly cert: string; readonly key: Secret } | null
}

/** Reads the files, or says what is wrong with them. Every master holds the same, so that it does not matter which one asks. */
async function readProof({ cluster, pki }: StepContext): Promise<Proof | Finding> {
  const { caFile, certFile } = cluster.spec.etcd.external ?? {}
  const [master] = mastersOf(cluster)
  try {
    return {
      authority: caFile === undefined ? null : (await pki.authority('etcd')).cert,
      client: certFile === undefined || master === undefined ? null : await pki.leaf('apiserver-etcd-client', master.name),
    }
  } catch (error) {
    if (!(error instanceof KubexmError) || error.code !== 'KX_PKI_EXTERNAL_ETCD') throw error
    const { file = '', why = '' } = error.params
    return finding(error.code, { file, why }, 'error')
  }
}

export const externalFiles = defineCheck({
  name: 'etcd.external-files',
  title: 'Check the files for your etcd',
  timeout: seconds(30),
  check: async (ctx) => {
    const proof = await readProof(ctx)
    return 'code' in proof ? proof : null
  },
})

// The files come by standard input and go on through pipes: preflight leaves nothing on a host, and a key least of all. Where there is no
// curl, bash can still tell whether anybody answers.
const askScript = `export LC_ALL=C
IFS= read -r -d '' ca; IFS= read -r -d '' cert; IFS= read -r -d '' key
proof=()
[ -z "$ca" ] || proof+=(--cacert /dev/fd/3)
[ -z "$cert" ] || proof+=(--cert /dev/fd/4 --key /dev/fd/5)
ask() {
  url=\${1%%=*} known=()
  [ "$url" = "$1" ] || known=(--resolve "\${1#*=}")
  if command -v curl >/dev/null; then
    said=$(curl -sS --noproxy '*' --connect-timeout 3 --max-time 10 -w ' %{http_code}' "\${known[@]}" "\${proof[@]}" "$url/health" 2>&1 \\
      3< <(printf %s "$ca") 4< <(printf %s "$cert") 5< <(printf %s "$key"))
    ended=$?
  else
    place=\${url#*://} name=\${place%:*} name=\${name#[} name=\${name%]}
    said=$(timeout 3 bash -c ': 3<>"/dev/tcp/$0"' "$name/\${place##*:}" 2>&1) && ended=open || ended=7
  fi
  printf '%s\\t%s\\t%s\\n' "$url" "$ended" "$(printf %s "$said" | tr '\\n\\t' '  ')"
}
for endpoint do ask "$endpoint" & done
wait`

/** The API servers will ask from the masters: what they can reach counts, not what this machine can. */
export const externalEndpoints = defineCheck({
  name: 'etcd.external-endpoints',
  title: 'Check that your etcd answers',
  timeout: seconds(60),
  check: async (ctx): Promise<readonly Finding[]> => {
    const endpoints = (ctx.cluster.spec.etcd.external?.endpoints ?? []).map((endpoint) => endpoint.replace(/\/+$/, ''))
    // Files that cannot be used are reported by their own check.
    const proof = await readProof(ctx)
    if ('code' in proof || endpoints.length === 0) return []
    const files = [proof.authority ?? '', proof.client?.cert ?? '', proof.client?.key.reveal() ?? '']
    const stdin = new Secret(files.map((file) => `${file}\0`).join(''))
    const { stdout } = await ctx.on.run(
      sh`bash -c ${askScript} kubexm-etcd-health ${endpoints.map((endpoint) => withAddress(endpoint, ctx))}`,
      { stdin },
    )
    const answers = new Map(stdout.split('\n').map((line) => [line.split('\t')[0], line.split('\t').slice(1)]))
    return endpoints.flatMap((endpoint) => {
      const [ended = '', said = ''] = answers.get(endpoint) ?? []
      const wrong = judge(endpoint, ended, said)
      return wrong === null ? [] : [wrong]
    })
  },
})

/** The endpoint, with the address behind its name where kubexm is still to write it into /etc/hosts: `URL=name:port:address`. */
function withAddress(endpoint: string, { cluster }: StepContext): string {
  const { hostname, port } = new URL(endpoint)
  const known = cluster.spec.extra.hosts.find(({ domain }) => domain === hostname)
  return known === undefined ? endpoint : `${endpoint}=${hostname}:${port}:${known.address}`
}

const noWay = new Set(['', '5', '6', '7', '28'])

/** What a program's exit code and words say about an endpoint. */
function judge(endpoint: string, ended: string, said: string): Finding | null {
  if (ended === 'open') return null
  const why = wordsOf(said)
  if (ended === '28' && /bytes received/.test(said))
    return finding('KX_ETCD_UNHEALTHY', { endpoint, why: 'it takes the connection and says nothing for 10 s' }, 'error')
  if (noWay.has(ended)) return finding('KX_ETCD_UNREACHABLE', { endpoint, why: why || 'nothing is known' }, 'error')
  if (ended !== '0') return finding('KX_ETCD_UNTRUSTED', { endpoint, why: closed.get(ended) ?? why }, 'error')
  return /"health":\s*"?true/.test(said) ? null : finding('KX_ETCD_UNHEALTHY', { endpoint, why }, 'error')
}

/** How a refused handshake looks from this side: the server just closes. */
const rejected = 'it closed the connection: it wants a client certificate, or does not accept this one'
const closed: ReadonlyMap<string, string> = new Map([
  ['16', rejected],
  ['52', 'it closed the connection without a word: does it speak TLS, and the endpoint begin with https?'],
  ['55', rejected],
  ['56', rejected],
])

/** What a person wants to read of an answer. */
const wordsOf = (said: string): string =>
  /"reason":\s*"([^"]+)"/.exec(said)?.[1] ??
  said
    .replace(/^curl: \(\d+\) /, '')
    .replace(/\s*More details here.*/, '')
    .replace(/\s*\b000$/, '')
    .trim()
