export { selinux } from './tasks.ts'
