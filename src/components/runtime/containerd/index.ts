export { containerd } from './tasks.ts'
