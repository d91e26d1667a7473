export { logRotation } from './tasks.ts'
