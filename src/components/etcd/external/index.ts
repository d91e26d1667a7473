export { externalEtcd } from './tasks.ts'
