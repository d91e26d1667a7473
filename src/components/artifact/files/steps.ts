import { defineStep, needed, satisfied } from '../../../step/index.ts'
import { minutes, seconds } from '../../../util/time.ts'

/** Gets one artifact to this machine. The plan always has the node; that it is there already is its precheck. */
export const fetchArtifact = defineStep<{ id: string }>({
  name: 'artifact.fetch',
  title: ({ id }) => `Get ${id}`,
  timeout: minutes(30),
  // What was fetched of a file before the line broke is kept, so another try goes on from there.
  retry: { times: 2, every: seconds(2) },
  precheck: async (ctx, { id }) => ((await ctx.artifacts.has(id)) ? satisfied : needed(`get ${id}`)),
  run: (ctx, { id }) => ctx.artifacts.fetch(id),
  rollback: { irreversible: 'what was fetched stays in the cache, where it serves the next run' },
})
