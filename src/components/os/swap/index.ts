export { swap } from './tasks.ts'
