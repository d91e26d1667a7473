import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inTemporaryDirectory } from '../../test/support/engine-run.ts'
import { debianMirror } from './debian-mirror.ts'

it.each([
  {
    form: 'one line',
    file: 'sources.list',
    text: '# x\ndeb [arch=amd64] http://mirror.example/debian bookworm main\n',
    gives: 'http://mirror.example/debian',
  },
  {
    form: 'deb822',
    file: 'sources.list.d/debian.sources',
    text: 'Types: deb\nURIs: https://mirror.example/debian/\nSuites: bookworm\n',
    gives: 'https://mirror.example/debian/',
  },
  {
    form: 'only others',
    file: 'sources.list',
    text: 'deb http://mirror.example/debian-security x main\ndeb http://other.example/apt x main\n',
    gives: null,
  },
])('is read from sources of the form: $form', ({ file, text, gives }) =>
  inTemporaryDirectory(async (apt) => {
    await mkdir(join(apt, 'sources.list.d'))
    await writeFile(join(apt, file), text)
    expect(await debianMirror(apt)).toBe(gives)
  }),
)
