export { timeSync } from './tasks.ts'
