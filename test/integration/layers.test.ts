// The layer law is only worth something if it bites: a violation of each rule is planted in a copy of the tree's shape.
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root, run } from '../../scripts/run.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'

const rules = (createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as { forbidden: readonly { name: string }[] }).forbidden.map(
  (rule) => rule.name,
)

/** A file that breaks a rule, and what it imports. */
const planted: Readonly<Record<string, readonly [from: string, to: string]>> = {
  'no-unknown-layer': ['src/elsewhere/a.ts', 'src/util/b.ts'],
  'layer-util': ['src/util/a.ts', 'src/error/b.ts'],
  'layer-error': ['src/error/a.ts', 'src/event/b.ts'],
  'layer-event': ['src/event/a.ts', 'src/runner/b.ts'],
  'layer-config': ['src/config/a.ts', 'src/components/os/x/tasks.ts'],
  'layer-connector': ['src/connector/a.ts', 'src/runner/b.ts'],
  'layer-runner': ['src/runner/a.ts', 'src/step/b.ts'],
  'layer-runtime': ['src/runtime/a.ts', 'src/step/b.ts'],
  'layer-simulation': ['src/simulation/a.ts', 'src/engine/b.ts'],
  'layer-ledger': ['src/ledger/a.ts', 'src/step/b.ts'],
  'layer-manifest': ['src/manifest/a.ts', 'src/runner/b.ts'],
  'layer-step': ['src/step/a.ts', 'src/plan/b.ts'],
  'layer-plan': ['src/plan/a.ts', 'src/task/b.ts'],
  'layer-resource': ['src/resource/a.ts', 'src/engine/b.ts'],
  'layer-pki': ['src/pki/a.ts', 'src/step/b.ts'],
  'layer-task': ['src/task/a.ts', 'src/engine/b.ts'],
  'layer-module': ['src/module/a.ts', 'src/components/os/x/steps.ts'],
  'layer-pipeline': ['src/pipeline/a.ts', 'src/components/os/x/index.ts'],
  'layer-engine': ['src/engine/a.ts', 'src/pipeline/b.ts'],
  'layer-sink': ['src/sink/a.ts', 'src/engine/b.ts'],
  'layer-store': ['src/store/a.ts', 'src/app/b.ts'],
  'layer-app': ['src/app/a.ts', 'src/cli/b.ts'],
  'layer-lab': ['src/lab/a.ts', 'src/app/b.ts'],
  'layer-cli': ['src/cli/a.ts', 'src/engine/b.ts'],
  'layer-api': ['src/api/a.ts', 'src/engine/b.ts'],
  'layer-worker': ['src/worker/a.ts', 'src/engine/b.ts'],
  'layer-controller': ['src/controller/a.ts', 'src/engine/b.ts'],
  'layer-web': ['src/web/a.tsx', 'src/config/b.ts'],
  'web-takes-types': ['src/web/a.ts', 'src/api/schemas.ts'],
  'component-config': ['src/components/os/x/config.ts', 'src/components/os/x/steps.ts'],
  'component-templates': ['src/components/os/x/templates.ts', 'src/step/b.ts'],
  'component-slots': ['src/components/os/x/slots.ts', 'src/step/b.ts'],
  'component-checks': ['src/components/os/x/checks/a.ts', 'src/components/os/y/checks/b.ts'],
  'component-steps': ['src/components/os/x/steps.ts', 'src/components/os/y/steps.ts'],
  'component-tasks': ['src/components/os/x/tasks.ts', 'src/components/os/y/steps.ts'],
  'component-index': ['src/components/os/x/index.ts', 'src/components/os/x/steps.ts'],
  'tasks-take-steps': ['src/components/os/x/tasks.ts', 'src/step/generic/b.ts'],
  'home-of-ssh2': ['src/runner/a.ts', 'ssh2'],
  'home-of-ssh-config': ['src/runner/a.ts', 'ssh-config'],
  'home-of-commander': ['src/app/a.ts', 'commander'],
  'home-of-fastify': ['src/app/a.ts', 'fastify'],
  'home-of-pg': ['src/app/a.ts', 'pg'],
  'home-of-kysely': ['src/app/a.ts', 'kysely'],
  'home-of-react': ['src/app/a.ts', 'react'],
  'home-of-react-dom': ['src/app/a.ts', 'react-dom'],
  'home-of-prom-client': ['src/app/a.ts', 'prom-client'],
  'home-of--peculiar-x509': ['src/app/a.ts', '@peculiar/x509'],
  'home-of-reflect-metadata': ['src/app/a.ts', 'reflect-metadata'],
  'no-test-in-source': ['src/util/a.ts', 'test/b.ts'],
}

/** Packages that are not there yet: their rules are tried when they come. */
const notYetInstalled = ['home-of--kubernetes-client-node']

/** The rules a small tree with this one import breaks. */
async function broken(from: string, to: string): Promise<readonly string[]> {
  return inTemporaryDirectory(async (directory) => {
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
    for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json', 'package.json']) await cp(join(root, file), join(directory, file))
    const isFile = to.includes('/') && to.endsWith('.ts')
    if (isFile) await place(join(directory, to), 'export const b = 1\n')
    const target = isFile ? `${'../'.repeat(from.split('/').length - 1)}${to}` : to
    await place(join(directory, from), `import * as b from '${target}'\nexport const a = b\n`)
    const { output } = await run('depcruise', ['--output-type', 'json', '--config', '.dependency-cruiser.cjs', 'src'], { cwd: directory })
    const { summary } = JSON.parse(output) as { summary: { violations: readonly { rule: { name: string } }[] } }
    return summary.violations.map((violation) => violation.rule.name)
  })
}

async function place(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await rm(file, { force: true })
  await writeFile(file, text)
}

describe('the layer law', () => {
  it('has a planted violation for every rule', () => {
    expect([...Object.keys(planted), ...notYetInstalled, 'no-cycles'].sort()).toEqual([...rules].sort())
  })

  it.each(Object.entries(planted))('bites: %s', async (rule, [from, to]) => {
    expect(await broken(from, to)).toContain(rule)
  })

  it('bites: no-cycles', async () => {
    expect(await broken('src/util/a.ts', 'src/util/a.ts')).toContain('no-cycles')
  })

  it('fails when nothing was cruised', async () => {
    const { cruiseLayers } = await import('../../scripts/layers.ts')
    const ended = await cruiseLayers('docs')
    expect(ended.code).toBe(1)
    expect(ended.output).toContain('no module was cruised')
  })
})
