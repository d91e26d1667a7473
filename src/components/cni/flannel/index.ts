export { flannel } from './tasks.ts'
