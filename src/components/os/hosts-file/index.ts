export { hostsFile } from './tasks.ts'
