export { packages } from './tasks.ts'
