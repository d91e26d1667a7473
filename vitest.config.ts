import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Two pools of tests: the fast ones (unit, conformance) run all the time, the slow ones need real hosts, servers or minutes.
    projects: [
      { extends: true, test: { name: 'fast', include: ['src/**/*.test.ts', 'test/conformance/**/*.test.ts', 'test/golden/**/*.test.ts'] } },
      {
        extends: true,
        test: { name: 'integration', include: ['test/integration/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
      },
      {
        extends: true,
        test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], testTimeout: 900_000, hookTimeout: 900_000, fileParallelism: false },
      },
    ],
  },
})
