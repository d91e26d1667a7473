export { giveUpOwnership } from './tasks.ts'
