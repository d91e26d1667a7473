export { limits } from './tasks.ts'
