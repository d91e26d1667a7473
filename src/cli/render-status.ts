import { type ClusterStatus, isHealthy, isWell, type StatusPart } from '../app/index.ts'
import { type Style, styleOf } from '../sink/style.ts'
import { harmless, padded, width, wrap } from '../sink/text.ts'

interface Look {
  readonly color: boolean
  readonly columns: number
}

/** The state of a cluster for people: a line for every part that is well, and what is wrong with the others. */
export function renderStatus(status: ClusterStatus, { color, columns }: Look): string {
  const style = styleOf({ color })
  const lines = [
    headline(status, style),
    ...section(status, 'hosts', 'Hosts', unreachedRows(status), style),
    ...section(status, 'apiServers', 'API servers', apiRows(status), style),
    ...section(status, 'etcd', `etcd (${status.etcdType})`, etcdRows(status), style),
    ...section(status, 'nodes', 'Nodes', nodeRows(status), style),
    ...section(status, 'pods', 'System pods', podRows(status), style),
    ...section(status, 'certificates', 'Certificates', certificateRows(status), style),
    ...section(status, 'drift', 'Drift from what kubexm made', driftRows(status), style),
  ]
  return `${lines.flatMap((line) => folded(line, columns)).join('\n')}\n`
}

/** The nodes of a cluster as a table. */
export function renderNodes({ nodes: { items } }: ClusterStatus): string {
  const head = ['NAME', 'STATUS', 'ROLES', 'VERSION', 'ADDRESS', 'RUNTIME']
  return `${aligned([head, ...items.map((node) => nodeCells(node).slice(0, 6))]).join('\n')}\n`
}

/** A cluster in one line of a table. */
export function renderCluster(status: ClusterStatus): string {
  const well = (problems: readonly { readonly problem: string | null }[]): string =>
    `${problems.filter(({ problem }) => problem === null).length}/${problems.length}`
  const head = ['NAME', 'TYPE', 'VERSION', 'ENDPOINT', 'API', 'ETCD', 'NODES', 'STATUS']
  const { cluster, type, version, endpoint, apiServers, etcd, nodes } = status
  const known = nodes.problem === null ? `${nodes.items.filter(({ ready }) => ready).length}/${nodes.items.length}` : '?'
  const health = isHealthy(status) ? 'healthy' : 'not healthy'
  return `${aligned([head, [cluster, type, version, endpoint, well(apiServers), well(etcd), known, health]]).join('\n')}\n`
}

/** What `-o json` prints; its fields are stable and described in docs/status.md. */
export const statusJson = (status: ClusterStatus) => ({ healthy: isHealthy(status), ...status })

function headline(status: ClusterStatus, style: Style): string {
  const words = `${status.cluster}: ${status.type} ${status.version} at ${status.endpoint}`
  return isHealthy(status)
    ? style.good(style.strong(`${style.icons.done} ${words} is healthy`))
    : style.bad(style.strong(`${style.icons.failed} ${words} is not healthy`))
}

/** One line of a part: its cells, and what is wrong with it if anything is. */
interface Row {
  readonly cells: readonly string[]
  readonly problem?: string | null
}

function section(status: ClusterStatus, part: StatusPart, title: string, rows: readonly Row[], style: Style): readonly string[] {
  if (rows.length === 0) return []
  const { icons, good, bad } = style
  const heading = `${isWell(status, part) ? good(icons.done) : bad(icons.failed)} ${style.strong(title)}`
  const cells = aligned(rows.map((row) => row.cells.map(harmless)))
  const lines = rows.map(({ problem = null }, i) => {
    const line = `  ${cells[i] ?? ''}`
    return problem === null ? line : `${line}${line.trim() === '' ? '' : '  '}${bad(`${icons.failed} ${harmless(problem)}`)}`
  })
  return ['', heading, ...lines]
}

/** Cells one below another, two blanks between them. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<number[]>((most, row) => {
    for (const [i, cell] of row.entries()) most[i] = Math.max(most[i] ?? 0, width(cell))
    return most
  }, [])
  return rows.map((row) =>
    row
      .map((cell, i) => padded(cell, widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** A long line goes on below itself. */
function folded(line: string, columns: number): readonly string[] {
  if (width(line) <= columns || !line.startsWith('  ')) return [line]
  const [first = '', ...more] = wrap(line.slice(2), Math.max(40, columns - 6))
  return [`  ${first}`, ...more.map((rest) => `      ${rest.trimStart()}`)]
}

const unreachedRows = ({ hosts }: ClusterStatus): readonly Row[] => {
  const unreached = hosts.filter(({ problem }) => problem !== null)
  if (unreached.length === 0) return [{ cells: [`${hosts.length} reached`] }]
  return unreached.map(({ name, address, problem }) => ({ cells: [name, address], problem }))
}

const apiRows = ({ apiServers }: ClusterStatus): readonly Row[] =>
  apiServers.map(({ host, url, version, problem }) => ({
    cells: [host, url, version ?? '-', problem === null ? 'ready' : ''],
    problem,
  }))

const etcdRows = ({ etcd }: ClusterStatus): readonly Row[] =>
  etcd.map(({ host, endpoint, version, leader, dbSize, problem }) => ({
    cells: [
      host ?? 'external',
      endpoint,
      version ?? '-',
      leader === null ? '-' : leader ? 'leader' : 'follower',
      dbSize === null ? '-' : bytes(dbSize),
      problem === null ? 'healthy' : '',
    ],
    problem,
  }))

const bytes = (n: number): string => (n < 1024 * 1024 ? `${Math.ceil(n / 1024)} KiB` : `${(n / 1024 / 1024).toFixed(1)} MiB`)

const nodeCells = ({ name, ready, schedulable, roles, version, address, runtime }: ClusterStatus['nodes']['items'][number]) => [
  name,
  `${ready ? 'Ready' : 'NotReady'}${!ready || schedulable ? '' : ',SchedulingDisabled'}`,
  roles.join(',') || '<none>',
  version ?? '-',
  address ?? '-',
  runtime ?? '-',
]

const nodeRows = ({ nodes: { items, problem } }: ClusterStatus): readonly Row[] =>
  problem === null ? items.map((node) => ({ cells: nodeCells(node), problem: node.problem })) : [{ cells: [], problem }]

function podRows({ pods: { items, total, problem } }: ClusterStatus): readonly Row[] {
  if (problem !== null) return [{ cells: [], problem }]
  const count = { cells: [`${total - items.length} of ${total} are up`] }
  return [count, ...items.map((pod) => ({ cells: [`${pod.namespace}/${pod.name}`], problem: pod.problem }))]
}

function certificateRows({ certificates }: ClusterStatus): readonly Row[] {
  const bad = certificates.filter(({ problem }) => problem !== null)
  const good = certificates.filter(({ problem, notAfter }) => problem === null && notAfter !== null)
  // Before there is a cluster a host has none of them: that is one thing to say, not twenty.
  const absent = [...Map.groupBy(certificates, ({ host }) => host)].flatMap(([host, own]) =>
    own.length > 1 && own.every(({ notAfter }) => notAfter === null) ? [{ host, all: own.length }] : [],
  )
  const [first] = good.toSorted((a, b) => (a.notAfter?.getTime() ?? 0) - (b.notAfter?.getTime() ?? 0))
  const ends =
    first === undefined
      ? ''
      : `, the first to end is ${first.what} on ${placeOf(first.host)} in ${first.daysLeft} days (${dayOf(first.notAfter)})`
  return [
    { cells: [`${good.length} of ${certificates.length} are good${ends}`] },
    ...absent.map(({ host, all }) => ({ cells: [placeOf(host)], problem: `none of its ${all} is there` })),
    ...bad
      .filter(({ host }) => !absent.some((one) => one.host === host))
      .map(({ host, what, path, problem }) => ({ cells: [`${placeOf(host)}: ${what}${path === null ? '' : ` in ${path}`}`], problem })),
  ]
}

const placeOf = (host: string): string => (host === 'local' ? 'this machine' : host)

const dayOf = (date: Date | null): string => date?.toISOString().slice(0, 10) ?? ''

const driftRows = ({ drift }: ClusterStatus): readonly Row[] =>
  drift.flatMap(({ host, looked, drifted, problem }): readonly Row[] => {
    if (problem !== null) return [{ cells: [host], problem }]
    if (drifted.length === 0) return [{ cells: [host, `${looked} things looked at, none has changed`] }]
    return drifted.map(({ kind, id, difference, step, since }) => ({
      cells: [host, `${kind} ${id}`],
      problem: `${difference} (made by ${step} on ${since.slice(0, 10)})`,
    }))
  })
