export { kernel } from './tasks.ts'
