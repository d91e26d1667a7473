import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { sshConnector } from '../../src/connector/index.ts'
import { labDown, labPassword, labUp, thisProcess } from '../../src/lab/index.ts'
import { createRunner } from '../../src/runner/index.ts'
import { Secret } from '../../src/util/secret.ts'
import { type LabDoor, openLabDoor } from '../support/lab-door.ts'
import { type ContractHost, runnerContract } from '../support/runner-contract.ts'
import { describeLab, type TestLab, testLab, testLabName } from '../support/with-lab.ts'

// What the simulated host is held to, a real one keeps as well: by SSH, as root and through sudo with a password.
describeLab('a real host', () => {
  const name = testLabName()
  let lab: TestLab

  beforeAll(async () => {
    await labUp({ name, hosts: 1, owner: thisProcess() })
    lab = await testLab(name)
  })
  afterAll(() => labDown(name))

  const hostAs = (user: string) => async (): Promise<ContractHost> => {
    const door: LabDoor = await openLabDoor(lab, lab.hosts[0]?.ipv4 ?? '')
    const connector = sshConnector({
      target: { address: '127.0.0.1', port: door.port, user, privateKeyPath: lab.access.plain },
      jumps: [],
      knownHosts: [],
      pinFile: join('/dev/shm', `${name}-${user}-known-hosts`),
    })
    const connection = await connector.connect(new AbortController().signal)
    return {
      on: createRunner({ host: 'node1', connection, sudo: user === 'root' ? 'none' : { password: new Secret(labPassword) } }),
      release: async () => {
        await connection[Symbol.asyncDispose]()
        await door[Symbol.asyncDispose]()
      },
    }
  }

  runnerContract('a lab host as root', hostAs('root'))
  runnerContract('a lab host as a user with a sudo password', hostAs('admin'))
})
