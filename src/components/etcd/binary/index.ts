export { etcd } from './tasks.ts'
