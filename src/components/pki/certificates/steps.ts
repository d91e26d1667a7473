import { defineStep, needed, satisfied } from '../../../step/index.ts'
import { minutes } from '../../../util/time.ts'

/** Makes every certificate and key the cluster needs, on this machine, before any of it is distributed. */
export const issueAll = defineStep({
  name: 'pki.issue',
  title: 'Issue certificates and keys',
  timeout: minutes(10),
  precheck: async (ctx) => {
    const pending = await ctx.pki.pending()
    return pending.length === 0 ? satisfied : needed(...pending)
  },
  run: (ctx) => ctx.pki.issue(),
  rollback: { irreversible: 'what was issued stays on this machine, where it serves the next run' },
  remove: {
    // Data that stays on hosts may be encrypted with a key that is kept here.
    precheck: async (ctx) =>
      ctx.run.purgeData && (await ctx.pki.exists()) ? needed('remove the certificates and keys of the cluster') : satisfied,
    run: (ctx) => ctx.pki.destroy(),
  },
})
