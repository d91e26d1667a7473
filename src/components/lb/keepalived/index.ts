export { keepalived } from './tasks.ts'
