export { firewall } from './tasks.ts'
