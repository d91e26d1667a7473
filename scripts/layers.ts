import { type Ended, run } from './run.ts'

interface Cruise {
  readonly summary: {
    readonly totalCruised: number
    readonly error: number
    readonly violations: readonly { readonly rule: { readonly name: string }; readonly from: string; readonly to: string }[]
  }
}

/** Checks the layer law. Nothing cruised is a failure: a tool that cannot read the sources finds no fault with them. */
export async function cruiseLayers(target = 'src'): Promise<Ended> {
  const ended = await run('depcruise', ['--output-type', 'json', '--config', '.dependency-cruiser.cjs', target])
  let cruise: Cruise
  try {
    cruise = JSON.parse(ended.output) as Cruise
  } catch {
    return { ...ended, code: 1 }
  }
  const { totalCruised, violations } = cruise.summary
  if (totalCruised === 0) return { ...ended, code: 1, output: `no module was cruised under ${target}: the layer law was not checked` }
  const output = violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`).join('\n')
  return { ...ended, code: violations.length === 0 ? 0 : 1, output }
}
