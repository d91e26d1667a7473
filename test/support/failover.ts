import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { labExec, labKill } from '../../src/lab/index.ts'
import type { Millis } from '../../src/util/time.ts'
import type { ClusterLab } from './cluster-lab.ts'

/** Who asks the API: a host, through the name of the endpoint, or a machine beside all hosts, through the address it is known by there. */
export type Asker = { readonly host: string; readonly url: string } | 'outside'

/** Asked twice a second, each question on a connection of its own; one that is not answered in this time is not answered. */
const patienceSeconds = 5
const watchedSeconds = 20

/** Each line of its answer is when a question was put, when that ended, and with which code. */
const askScript = `set -u
mkdir -p "$1"; cd "$1"
echo "$2" | base64 -d > ca; echo "$3" | base64 -d > cert; (umask 077; echo "$4" | base64 -d > key)
end=$(( $(date +%s) + ${watchedSeconds} ))
while [ $(date +%s) -lt $end ]; do
  ( begun=$(date +%s%3N)
    code=$(curl -s -o /dev/null -m ${patienceSeconds} -w '%{http_code}' --cacert ca --cert cert --key key "$5/api/v1/namespaces/default")
    echo "$begun $(date +%s%3N) $code" ) &
  sleep 0.5
done
wait
cd /; rm -r "$1"`

interface Answer {
  readonly begun: Millis
  readonly ended: Millis
  readonly code: number
}

/** Takes the power of a host away and tells how long it took until the API answered, and answered every time from then on. */
export async function awayWithout(cluster: ClusterLab, host: string, asker: Asker): Promise<Millis> {
  const { lab, directory } = cluster
  const { server, ca, cert, key } = await access(join(directory, '.kubexm', lab.name, 'kubeconfig'))
  const words = (url: string): readonly string[] => ['sh', '-c', askScript, 'ask', `/run/kubexm-ask-${lab.name}`, ca, cert, key, url]
  const asked = asker === 'outside' ? lab.inNetwork(words(server)) : labExec(lab.name, asker.host, words(asker.url))
  const killed = Date.now()
  await labKill(lab.name, host)
  const { stdout, stderr } = await asked
  const answers = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Answer => {
      const [begun = 0, ended = 0, code = 0] = line.split(' ').map(Number)
      return { begun, ended, code }
    })
    .filter(({ ended }) => ended >= killed)
    .sort((a, b) => a.begun - b.begun)
  if (answers.length === 0) throw new Error(`nothing was asked: ${stderr}`)
  const last = answers.findLastIndex(({ code }) => code !== 200)
  const first = answers[last + 1]
  const seen = answers.map(({ begun, ended, code }) => `${begun - killed}-${ended - killed}:${code}`).join(' ')
  if (first === undefined) throw new Error(`the API did not come back within ${watchedSeconds} s of ${host}'s end: ${seen}`)
  return first.ended - killed
}

interface Access {
  readonly server: string
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** An administrator's way in, from a kubeconfig. */
async function access(kubeconfig: string): Promise<Access> {
  const { clusters, users } = parse(await readFile(kubeconfig, 'utf8')) as {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[]
    readonly users: readonly { readonly user: Readonly<Record<string, string>> }[]
  }
  const [cluster, user] = [clusters[0]?.cluster ?? {}, users[0]?.user ?? {}]
  return {
    server: cluster.server ?? '',
    ca: cluster['certificate-authority-data'] ?? '',
    cert: user['client-certificate-data'] ?? '',
    key: user['client-key-data'] ?? '',
  }
}
