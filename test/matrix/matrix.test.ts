import { afterAll, test } from 'vitest'
import { everyRun, matrix } from '../support/cluster-cases.ts'
import { type CaseFigures, tryCluster } from '../support/try-cluster.ts'
import { describeLab } from '../support/with-lab.ts'

/** `npm run e2e:matrix`: every combination, with a table as result. */
describeLab('every combination', () => {
  const cases = [...everyRun, ...matrix]
  const figures = new Map<string, CaseFigures>()
  test.each(cases)('$name', async (one) => {
    figures.set(one.name, await tryCluster(one))
  })
  afterAll(() => {
    // Those that were left out have nothing to tell.
    const tried = cases.filter(({ name }) => figures.has(name))
    const row = (name: string, cells: readonly string[]): string =>
      `| ${name.padEnd(70)} | ${cells.map((cell) => cell.padStart(8)).join(' | ')} |\n`
    const seconds = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(1))
    process.stdout.write(
      `\n${row('combination', ['version', 'create', 'again', 'failover', 'delete'])}${tried
        .map(({ name, choice }) => {
          const measured = figures.get(name)
          return row(name, [
            choice.version,
            seconds(measured?.create),
            seconds(measured?.again),
            seconds(measured?.failover),
            seconds(measured?.remove),
          ])
        })
        .join('')}`,
    )
  })
})
