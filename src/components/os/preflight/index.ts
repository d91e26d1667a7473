export { keptProperties, preflight } from './tasks.ts'
