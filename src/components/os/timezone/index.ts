export { timezone } from './tasks.ts'
