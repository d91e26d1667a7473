import { statfsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** Memory for temporary files where there is enough: what is synced to a disk thousands of times in tests proves nothing more there. */
function temporaryDirectory(): Readonly<Record<string, string>> {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 2 ** 30 ? { TMPDIR: '/dev/shm' } : {}
  } catch {
    return {}
  }
}

export default defineConfig({
  test: {
    // Two cores are two workers: the usual one less than cores would leave half a small machine idle.
    maxWorkers: 2,
    // Two pools of tests: the fast ones (unit, conformance) run all the time, the slow ones need real hosts, servers or minutes.
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['src/**/*.test.ts', 'test/conformance/**/*.test.ts', 'test/golden/**/*.test.ts'],
          // Modules are loaded once, not once a file: these tests share no state, and loading was half of their time.
          pool: 'threads',
          isolate: false,
          // Node reads the sources as they are, as it does for users: nothing stands between a test and what it tests, and it is faster.
          experimental: { viteModuleRunner: false, nodeLoader: false },
          env: temporaryDirectory(),
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: { name: 'integration', include: ['test/integration/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
      },
      {
        extends: true,
        test: { name: 'matrix', include: ['test/matrix/**/*.test.ts'], testTimeout: 900_000, hookTimeout: 900_000, fileParallelism: false },
      },
      {
        extends: true,
        test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], testTimeout: 900_000, hookTimeout: 900_000, fileParallelism: false },
      },
    ],
  },
})
