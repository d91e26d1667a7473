import { type ClusterHost, hostsOf } from '../../config/index.ts'
import { certificateTimes, type PlacedCertificate, placedCertificates } from '../../pki/index.ts'
import { type Output, type Reader, sh } from '../../runner/index.ts'
import { dedent } from '../../util/dedent.ts'
import type { Millis } from '../../util/time.ts'
import { orElse, type Surroundings } from './surroundings.ts'
import type { CertificateStatus } from './types.ts'

const mark = '=== '

/** Prints the certificates of files, never a key that lies beside one: in a kubeconfig as one line of base64, elsewhere as PEM. */
const script = dedent`
  for path do
    printf '${mark}%s\\n' "$path"
    [ -e "$path" ] || continue
    case $path in
    *.conf) sed -n 's/^ *client-certificate-data: *//p' "$path" ;;
    *) sed -n '/^-----BEGIN CERTIFICATE-----$/,/^-----END CERTIFICATE-----$/p' "$path" ;;
    esac
  done`

/** The certificates that are kept on this machine, and those that are really on the hosts: until when each holds. */
export async function lookAtCertificates(around: Surroundings): Promise<readonly CertificateStatus[]> {
  const { cluster, lost, runner, clock, hosts } = around
  const asked = hostsOf(cluster).filter(({ name }) => !lost.has(name) && hosts.some((host) => host.name === name))
  const [kept, ...placed] = await Promise.all([
    lookAtKept(around),
    ...asked.map((host) => lookAtPlaced(runner(host.name), host, placedCertificates(cluster, host), clock.now())),
  ])
  return [...kept, ...placed.flat()]
}

/** Nothing is kept where the cluster is looked after from another machine. */
async function lookAtKept({ pki, clock }: Surroundings): Promise<readonly CertificateStatus[]> {
  if (!(await pki.exists())) return []
  return (await pki.certificates()).map(({ what, notAfter, fault }) => ({
    host: 'local',
    what,
    path: null,
    notAfter,
    daysLeft: daysLeft(notAfter, clock.now()),
    problem: fault,
  }))
}

async function lookAtPlaced(
  on: Reader,
  { name }: ClusterHost,
  placed: readonly PlacedCertificate[],
  now: Millis,
): Promise<readonly CertificateStatus[]> {
  const paths = placed.flatMap((one) => one.paths)
  const answer = await orElse<Output | string>(
    () => on.run(sh`sh -c ${script} kubexm-certificates ${paths}`),
    (why) => why,
  )
  if (typeof answer === 'string')
    return placed.map(({ what, paths: [path = null] }) => ({ host: name, what, path, notAfter: null, daysLeft: null, problem: answer }))
  const { stdout } = answer
  const found = new Map(
    stdout
      .split(new RegExp(`^${mark}`, 'm'))
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1).trim()]),
  )
  return placed.map(({ what, paths: places }) => {
    const path = places.find((one) => (found.get(one) ?? '') !== '') ?? (places.at(-1) as string)
    return { host: name, what, path, ...judge(found.get(path) ?? '', now) }
  })
}

type Judged = Pick<CertificateStatus, 'notAfter' | 'daysLeft' | 'problem'>

function judge(text: string, now: Millis): Judged {
  const nothing = { notAfter: null, daysLeft: null }
  if (text === '') return { ...nothing, problem: 'it is not there' }
  const times = certificateTimes(text.startsWith('-----') ? text : Buffer.from(text, 'base64').toString())
  if (times === null) return { ...nothing, problem: 'it cannot be read' }
  const { notAfter, renewAt } = times
  const verb = notAfter.getTime() <= now ? 'ended' : now >= renewAt ? 'ends' : null
  const problem = verb === null ? null : `it ${verb} on ${notAfter.toISOString().slice(0, 10)}`
  return { notAfter, daysLeft: daysLeft(notAfter, now), problem }
}

const day = 86_400_000

const daysLeft = (notAfter: Date | null, now: Millis): number | null =>
  notAfter === null ? null : Math.floor((notAfter.getTime() - now) / day)
