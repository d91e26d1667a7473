export { packageFiles, packages } from './tasks.ts'
