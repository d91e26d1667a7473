export { coredns } from './tasks.ts'
