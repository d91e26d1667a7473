import { expect, it } from 'vitest'
import { builtInCatalogue } from '../../resource/index.ts'
import { defaultWish, mirrorContents } from './contents.ts'
import { someFiles } from './some-files.ts'

it('says yes to the named files and to what serves them, and to nothing else', () => {
  const only = someFiles('runc', 'containerd')
  const files = mirrorContents(builtInCatalogue, defaultWish).files.map(({ file, version }) => `file/${file}@${version}`)
  expect(files.filter(only)).toEqual(files.filter((id) => /\/(runc|containerd)@/.test(id)))
  expect(files.filter(only).length).toBeGreaterThan(1)
  expect(['registry@v3.0.0', 'file-server@v1', 'kubernetes@v1.34.4'].filter(only)).toEqual(['registry@v3.0.0', 'file-server@v1'])
})
