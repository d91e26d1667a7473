// Writes the generated documents, and the list of config fields that no code reads yet. Tests keep them fresh.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { renderConfigDocs } from '../src/config/docs.ts'
import { codeOutsideConfig, findUnused, renderUnusedFields } from '../src/config/field-use.ts'
import { errorCatalogue } from './error-catalogue.ts'
import { root } from './run.ts'

const unused = findUnused(codeOutsideConfig(join(root, 'src')))
await writeFile(join(root, 'docs/errors.md'), errorCatalogue())
await writeFile(join(root, 'src/config/unused-fields.ts'), renderUnusedFields(unused))
await writeFile(join(root, 'docs/config.md'), renderConfigDocs(unused))
