import { type Reader, sh } from '../../../../runner/index.ts'

/** What became of a try to connect: `open` and `refused` both prove that the way is clear. */
export type Way = 'open' | 'refused' | 'timeout' | 'unreachable' | 'unresolved' | 'unknown'

/** What stands in the way, in words. */
export const whyNot: Readonly<Partial<Record<Way, string>>> = {
  timeout: 'no answer within 2 s',
  unreachable: 'no route to it, or rejected on the way',
  unresolved: 'its name is not known',
}

// Bash opens sockets by itself: neither nc nor curl has to be on the host. Sixty-four at a time, so that hundreds of hosts are asked in seconds.
const connectScript = `export LC_ALL=C
try() {
  said=$(timeout 2 bash -c ': 3<>"/dev/tcp/$0"' "$1" 2>&1)
  case $?:$said in
    0:*) way=open ;;
    124:*|*'timed out'*) way=timeout ;;
    *refused*) way=refused ;;
    *'not known'*|*'name resolution'*|*'No address'*|*'Invalid argument'*) way=unresolved ;;
    *unreachable*|*'No route'*|*'not permitted'*|*'ermission denied'*) way=unreachable ;;
    *) way=unknown ;;
  esac
  echo "$1 $way"
}
for target do
  try "$target" &
  n=$((n + 1))
  [ $((n % 64)) -ne 0 ] || wait
done
wait`

/** A place to connect to. */
export interface Target {
  /** An address or a name. */
  readonly address: string
  readonly port: number
}

const spelled = ({ address, port }: Target): string => `${address}/${port}`

/** Tries all targets from a host in one round trip; one that could not be tried is `unknown`. */
export async function connect(on: Reader, targets: readonly Target[]): Promise<(target: Target) => Way> {
  const places = [...new Set(targets.map(spelled))]
  if (places.length === 0) return () => 'unknown'
  const [answer] = await on.inspect([{ kind: 'command', command: sh`bash -c ${connectScript} kubexm-connect ${places}` }])
  const ways = new Map(answer.stdout.split('\n').map((line) => line.split(' ') as [string, Way]))
  return (target) => ways.get(spelled(target)) ?? 'unknown'
}

// A question for the root's name servers in one datagram: any server answers it, be it with a refusal.
const nameServerScript = `ask() {
  exec 3<>"/dev/udp/$1/53" || return
  for try in 1 2; do
    printf '\\113\\170\\001\\000\\000\\001\\000\\000\\000\\000\\000\\000\\000\\000\\002\\000\\001' >&3
    if [ "$(timeout 1 head -c 2 <&3)" = Kx ]; then echo "$1"; return; fi
  done
}
for server do ask "$server" 2>/dev/null & done
wait`

/** The name servers that do not answer a host. */
export async function askNameServers(on: Reader, servers: readonly string[]): Promise<readonly string[]> {
  const [answer] = await on.inspect([{ kind: 'command', command: sh`bash -c ${nameServerScript} kubexm-dns ${servers}` }])
  const answering = new Set(answer.stdout.split('\n'))
  // Without bash nothing can be said.
  return answer.code === 0 ? servers.filter((server) => !answering.has(server)) : []
}
