export { hostname } from './tasks.ts'
