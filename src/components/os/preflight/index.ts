export { preflight } from './tasks.ts'
