export { dns } from './tasks.ts'
