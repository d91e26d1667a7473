import type { Runner } from '../../src/runner/index.ts'

/** A machine for tests of the engine itself, whose steps do their work in memory: any use of it is an error, but for keeping a ledger. */
export function inertRunner(host: string): Runner {
  const runner: Partial<Runner> = {
    host,
    bind: () => runner as Runner,
    files: { append: async () => {} } as unknown as Runner['files'],
  }
  return runner as Runner
}
