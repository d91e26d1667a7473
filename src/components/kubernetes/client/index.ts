export { adminAccess, userAccess } from './tasks.ts'
