import { explainPod, isPodUp, type Pod } from '../../step/generic/workload.ts'
import type { ApiDoor } from './api-servers.ts'
import { noDoor } from './nodes.ts'
import { orElse, whyNot } from './surroundings.ts'
import type { ClusterStatus, PodTrouble } from './types.ts'

/** Namespaces whose pods the cluster itself is made of. */
const isSystem = (namespace: string): boolean => /^(kube|calico|tigera)-/.test(namespace)

/** As many are asked for their reasons: where more are down they share it. */
const mostExplained = 20

/** The pods of the system that are not up, and why. */
export const lookAtPods = async (door: ApiDoor | null): Promise<ClusterStatus['pods']> =>
  door === null
    ? { items: [], total: 0, problem: noDoor }
    : orElse(
        () => askForPods(door),
        (problem) => ({ items: [], total: 0, problem }),
      )

async function askForPods(door: ApiDoor): Promise<ClusterStatus['pods']> {
  // The table is short for any number of pods; only those that are down are then asked for in full.
  const table = await door.list('get', 'pods', '--all-namespaces', '--no-headers')
  if (table.code !== 0) return { items: [], total: 0, problem: whyNot(table) }
  const pods = table.stdout.split('\n').flatMap(rowOf)
  const down = pods.filter(({ line }) => !isPodUp(line) && !isDone(line))
  const explained = await Promise.all(down.slice(0, mostExplained).map((row) => explain(door, row)))
  return { items: [...explained, ...down.slice(mostExplained).map(plainly)], total: pods.length, problem: null }
}

interface Row {
  readonly namespace: string
  /** `NAME READY STATUS …` */
  readonly line: string
}

function rowOf(text: string): readonly Row[] {
  const [, namespace = '', line = ''] = /^(\S+)\s+(.*)$/.exec(text) ?? []
  return isSystem(namespace) ? [{ namespace, line }] : []
}

/** The pod of a job that has done its work stays listed. */
const isDone = (line: string): boolean => line.split(/\s+/)[2] === 'Completed'

function plainly({ namespace, line }: Row): PodTrouble {
  const [name = '', ready = '', status = ''] = line.split(/\s+/)
  return { namespace, name, problem: `${status}, ${ready} ready` }
}

async function explain(door: ApiDoor, row: Row): Promise<PodTrouble> {
  const plain = plainly(row)
  const answer = await door.ask('get', 'pod', plain.name, `--namespace=${row.namespace}`, '--output=json')
  // It may be gone by now, and another in its place.
  if (answer.code !== 0) return plain
  const said = explainPod(JSON.parse(answer.stdout) as Pod)
  return { ...plain, problem: said.slice(plain.name.length).replace(/^:? /, '') }
}
