import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inTemporaryDirectory } from '../../test/support/engine-run.ts'
import { systemClock } from '../util/time.ts'
import { addToUserKubeconfig, isInUserKubeconfig, removeFromUserKubeconfigs, type UserKubeconfig } from './user-kubeconfig.ts'

const entries = {
  name: 'kubexm-prod',
  cluster: { server: 'https://192.0.2.1:6443', 'certificate-authority-data': 'QUJD' },
  user: { token: 't' },
}
const theirs =
  'apiVersion: v1\nkind: Config\nclusters:\n- name: home\n  cluster:\n    server: https://192.0.2.99:6443\nusers: []\ncontexts: []\n'

const inHome = (use: (place: UserKubeconfig, directory: string) => Promise<void>): Promise<void> =>
  inTemporaryDirectory(async (home) => {
    const directory = join(home, '.kube')
    const file = join(directory, 'config')
    const signal = new AbortController().signal
    await use({ file, record: join(home, 'work', 'merged.json'), name: entries.name, signal, clock: systemClock }, directory)
  })

/** A place where somebody has a kubeconfig already. */
const inUse = (use: (place: UserKubeconfig, directory: string) => Promise<void>): Promise<void> =>
  inHome(async (place, directory) => {
    await mkdir(directory)
    await writeFile(place.file, theirs, { mode: 0o644 })
    await use(place, directory)
  })

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777

describe('the kubeconfig of whoever runs kubexm', () => {
  it('is made for its owner alone where there is none, and goes with the cluster', () =>
    inHome(async (place, directory) => {
      expect(await isInUserKubeconfig(place, entries)).toBe(false)
      await addToUserKubeconfig(place, entries)
      expect([await modeOf(place.file), await modeOf(directory)]).toEqual([0o600, 0o700])
      expect(await isInUserKubeconfig(place, entries)).toBe(true)
      expect(await removeFromUserKubeconfigs(place)).toEqual([])
      expect(await readdir(directory)).toEqual([])
    }))

  it('keeps what was in it, and a copy as long as the cluster is there', () =>
    inUse(async (place, directory) => {
      await addToUserKubeconfig(place, entries)
      expect(await modeOf(place.file)).toBe(0o600)
      expect((await readdir(directory)).sort()).toEqual(['config', 'config.before-kubexm-prod'])
      expect(await readFile(`${place.file}.before-kubexm-prod`, 'utf8')).toBe(theirs)
      await removeFromUserKubeconfigs(place)
      expect(await readFile(place.file, 'utf8')).toBe(theirs)
      expect(await readdir(directory)).toEqual(['config'])
    }))

  it('is written again when others could read it or its entries are old ones', () =>
    inUse(async (place) => {
      await addToUserKubeconfig(place, entries)
      await chmod(place.file, 0o640)
      expect(await isInUserKubeconfig(place, entries)).toBe(false)
      await addToUserKubeconfig(place, { ...entries, user: { token: 'new' } })
      expect([await modeOf(place.file), await isInUserKubeconfig(place, entries)]).toEqual([0o600, false])
      await removeFromUserKubeconfigs(place)
      expect(await readFile(place.file, 'utf8')).toBe(theirs)
    }))

  it('is found again when another one is used since', () =>
    inUse(async (place, directory) => {
      await addToUserKubeconfig(place, entries)
      const other = { ...place, file: join(directory, 'other') }
      await addToUserKubeconfig(other, entries)
      expect(await removeFromUserKubeconfigs({ ...place, file: join(directory, 'third') })).toEqual([])
      expect(await readdir(directory)).toEqual(['config'])
      expect(await readFile(place.file, 'utf8')).toBe(theirs)
    }))

  it('stays a link where it is one', () =>
    inUse(async (place, directory) => {
      const link = join(directory, 'link')
      await symlink(place.file, link)
      await addToUserKubeconfig({ ...place, file: link }, entries)
      expect(await readFile(place.file, 'utf8')).toContain('kubexm-prod')
    }))

  it.each([
    ['KX_KUBECONFIG_UNUSABLE', 'clusters: [\n'],
    ['KX_KUBECONFIG_FOREIGN', 'clusters:\n- name: kubexm-prod\n  cluster:\n    server: https://192.0.2.7:6443\n'],
  ])('%s: nothing is changed', (code, text) =>
    inUse(async (place, directory) => {
      await writeFile(place.file, text)
      await expect(addToUserKubeconfig(place, entries)).rejects.toMatchObject({ code })
      await expect(isInUserKubeconfig(place, entries)).rejects.toMatchObject({ code })
      expect(await readFile(place.file, 'utf8')).toBe(text)
      expect(await readdir(directory)).toEqual(['config'])
    }),
  )

  it('is left to a program that writes it, and told when that does not end', () =>
    inUse(async (place, directory) => {
      await writeFile(`${place.file}.lock`, '')
      let now = 0
      const sleep = async (ms: number): Promise<void> => {
        now += ms
      }
      const clock = { ...systemClock, steady: () => now, sleep }
      await expect(addToUserKubeconfig({ ...place, clock }, entries)).rejects.toMatchObject({ code: 'KX_KUBECONFIG_LOCKED' })
      expect([now >= 9_000, await readFile(place.file, 'utf8')]).toEqual([true, theirs])
      expect((await readdir(directory)).sort()).toEqual(['config', 'config.lock'])
    }))

  it('that cannot be read any more is named, and keeps nobody from deleting the cluster', () =>
    inUse(async (place) => {
      await addToUserKubeconfig(place, entries)
      await writeFile(place.file, 'clusters: [\n')
      expect(await removeFromUserKubeconfigs(place)).toEqual([{ file: place.file, why: expect.stringMatching(/./) }])
      expect(await removeFromUserKubeconfigs(place)).toEqual([])
    }))
})
