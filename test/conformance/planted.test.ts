// The suite itself is tried here: a component with a bug in it must not conform.
import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../src/config/index.ts'
import type { Host } from '../../src/runtime/index.ts'
import { writeFile } from '../../src/step/generic/file.ts'
import { installUnit } from '../../src/step/generic/service.ts'
import { composeStep, needed, type Step, undoThing } from '../../src/step/index.ts'
import { defineTask } from '../../src/task/index.ts'
import { Secret } from '../../src/util/secret.ts'
import { minutes } from '../../src/util/time.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'
import { properties, type Scenario, Subject } from './conforms.ts'

const secret = 'open-sesame-4711'
const scenario: Scenario = {
  cluster: {} as Cluster,
  hosts: [{ name: 'node1', address: '192.0.2.1', roles: ['master'] } as unknown as Host],
  secrets: [secret],
}

const unit = '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n'

/** A small service with a config file and a key: right as it stands. */
const right = composeStep({
  name: 'demo.run',
  title: 'Run the demo service',
  timeout: minutes(1),
  ops: () => [
    writeFile({ path: '/etc/demo/key', content: new Secret(secret), mode: '0600' }),
    ...installUnit({ name: 'demo.service', content: unit, files: ['/etc/demo/key'] }),
  ],
})

const planted: Readonly<Record<string, { readonly step: Step; readonly caughtBy: keyof typeof properties }>> = {
  'undo in the wrong order': {
    caughtBy: 'a fault at every change rolls back to the start',
    step: {
      ...right,
      rollback: async (ctx, _input, receipts) => {
        for (const receipt of receipts) await undoThing(ctx.on, receipt.kind, receipt.id, receipt.before)
      },
    },
  },
  'verification skipped': { caughtBy: 'a fault at every change rolls back to the start', step: { ...right, verify: async () => {} } },
  'nothing undone': { caughtBy: 'a fault at every change rolls back to the start', step: { ...right, rollback: async () => {} } },
  'precheck ignored': {
    caughtBy: 'a second run changes nothing and says so',
    step: { ...right, precheck: async () => needed('do it again') },
  },
  'another path removed than installed': {
    caughtBy: 'create, then delete, leaves no trace',
    step: {
      ...right,
      remove: {
        precheck: async () => needed('remove it'),
        run: (ctx) =>
          ctx.change({ kind: 'custom', id: 'x', does: 'remove', before: null, owned: false }, (on) => on.files.remove('/etc/demo/kye')),
      },
    },
  },
  'not removed at all': { caughtBy: 'create, then delete, leaves no trace', step: { ...right, remove: null } },
  'a secret in the title': { caughtBy: 'no secret is in plan, journal or events', step: { ...right, title: () => `Run with ${secret}` } },
  'a secret in a receipt': {
    caughtBy: 'no secret is in plan, journal or events',
    step: {
      ...right,
      run: async (ctx, input) => {
        await ctx.change({ kind: 'custom', id: 'x', does: 'leak', before: secret, owned: false }, async () => {})
        await right.run(ctx, input)
      },
    },
  },
  'a plan that differs from time to time': {
    caughtBy: 'the plan is the same every time',
    step: { ...right, title: () => `Run ${process.hrtime.bigint()}` },
  },
}

const tryOn = (step: Step, property: keyof typeof properties): Promise<void> =>
  inTemporaryDirectory((directory) => {
    const task = defineTask({ name: 'demo', description: 'demo', plan: (t) => t.on(t.hosts(), step) })
    return properties[property](new Subject(task, scenario, 'debian-12', directory))
  })

describe('the conformance suite', () => {
  it.each(Object.keys(properties) as (keyof typeof properties)[])('lets a right component pass: %s', (property) => tryOn(right, property))

  it.each(Object.entries(planted))('catches a planted bug: %s', async (_name, { step, caughtBy }) => {
    await expect(tryOn(step, caughtBy)).rejects.toThrow()
  })
})
