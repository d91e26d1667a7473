export { adminAccess } from './tasks.ts'
