// Writes the generated documents. A test keeps them fresh.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCatalogue } from './error-catalogue.ts'
import { root } from './run.ts'

await writeFile(join(root, 'docs', 'errors.md'), errorCatalogue())
