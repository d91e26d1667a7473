// What deploy/ starts is what there is: every command, option, variable, file and name in it.
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../scripts/run.ts'
import { registerCommands } from '../../src/cli/commands.ts'

const deploy = join(root, 'deploy')
const text = (file: string): Promise<string> => readFile(join(deploy, file), 'utf8')

/** The options of a command line of kubexm, each known to the command it is given to. */
async function optionsOf(line: string): Promise<ReadonlyMap<string, string>> {
  const [verb = '', ...words] = line.split(' ')
  const program = new Command('kubexm')
  await registerCommands(program, verb)
  const command = program.commands.find((one) => one.name() === verb)
  if (command === undefined) throw new Error(`there is no kubexm ${verb}`)
  const options = new Map<string, string>()
  for (let i = 0; i < words.length; i += 2) {
    const [flag = '', value = ''] = words.slice(i)
    const option = command.options.find(({ long }) => long === flag)
    expect(option, `kubexm ${verb} ${flag}`).toBeDefined()
    expect(value, `kubexm ${verb} ${flag}`).toMatch(/^[^-]/)
    // Throws where the value is none.
    option?.parseArg?.(value, undefined as never)
    options.set(flag, value)
  }
  return options
}

async function expectVariables(names: readonly string[]): Promise<void> {
  const documented = await readFile(join(root, 'docs/jobs.md'), 'utf8')
  expect(names.length).toBeGreaterThan(0)
  for (const name of names) expect(documented, name).toContain(`\`${name}\``)
}

interface Service {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly command?: string
  readonly environment: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly volumes: readonly string[]
  readonly ports?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: object
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  readonly volumes: Readonly<Record<string, null>>
}

const compose = async (): Promise<Compose> => parse(await text('compose.yaml'), { merge: true }) as Compose

describe('the compose file', () => {
  it('starts commands with options that exist', async () => {
    const { services } = await compose()
    expect(Object.keys(services)).toEqual(['database', 'api-server', 'worker'])
    for (const [name, { command = '' }] of Object.entries(services).slice(1)) {
      const options = await optionsOf(command)
      expect(command.split(' ')[0]).toBe(name)
      expect(options.get('--directory')).toBe('/var/lib/kubexm')
    }
    const { command = '', ports } = services['api-server'] as Service
    expect(ports).toEqual([`8420:${(await optionsOf(command)).get('--listen')?.replace(/^.*:/, '')}`])
  })

  it('names nothing that it does not have: variables, secrets, volumes, services, files', async () => {
    const { services, secrets, volumes } = await compose()
    for (const [name, service] of Object.entries(services)) {
      for (const volume of service.volumes) expect(Object.keys(volumes), name).toContain(volume.split(':')[0])
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {}))
        expect([condition, services[other]?.healthcheck]).toEqual(['service_healthy', expect.anything()])
      if (service.build === undefined) continue
      await expectVariables(Object.keys(service.environment))
      expect(existsSync(join(deploy, service.build.context, service.build.dockerfile))).toBe(true)
      const read = [service.command, ...Object.values(service.environment)].join(' ').matchAll(/\/run\/secrets\/(\S+)/g)
      const needed = [...read].map(([, secret = '']) => secret)
      expect(needed.toSorted(), name).toEqual([...(service.secrets ?? [])].toSorted())
      for (const secret of needed) expect(secrets[secret]?.file).toBe(`./${secret}`)
      expect(service.environment.KUBEXM_DATABASE_URL).toMatch(/^postgres:\/\/kubexm:\$\{DATABASE_PASSWORD:\?[^}]+\}@database\/kubexm$/)
    }
    const { environment } = services.database as Service
    expect([environment.POSTGRES_USER, environment.POSTGRES_DB]).toEqual(['kubexm', 'kubexm'])
  })

  it('builds an image of what a build makes', async () => {
    const [dockerfile, ignored, { bin }] = await Promise.all([
      text('Dockerfile'),
      text('Dockerfile.dockerignore'),
      readFile(join(root, 'package.json'), 'utf8').then(JSON.parse),
    ])
    const entry = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '') as readonly string[]
    expect(entry.at(-1)).toBe(`/opt/kubexm/${bin.kubexm}`)
    const copied = [...dockerfile.matchAll(/^COPY (\S+) /gm)].map(([, from]) => from)
    expect(copied).toEqual(['package.json', 'dist'])
    for (const from of copied) expect(ignored.split('\n')).toContain(`!${from}`)
    // The user in the image and the one the secrets are given to.
    const [, user] = /--uid (\d+)/.exec(dockerfile) ?? []
    expect(await readFile(join(root, 'docs/deploy.md'), 'utf8')).toContain(`chown ${user} sealing.key`)
  })
})

describe('the systemd units', () => {
  it('start commands with options that exist, with variables that are known', async () => {
    const units = (await readdir(join(deploy, 'systemd'))).filter((name) => name.endsWith('.service'))
    expect(units).toEqual(['kubexm-api-server.service', 'kubexm-worker.service'])
    for (const unit of units) {
      const [, line = ''] = /^ExecStart=\/usr\/local\/bin\/kubexm (.*)$/m.exec(await text(join('systemd', unit))) ?? []
      expect((await optionsOf(line)).get('--directory')).toBe('/var/lib/kubexm')
    }
    await expectVariables([...(await text('systemd/environment')).matchAll(/^(\w+)=/gm)].map(([, name = '']) => name))
  })
})
