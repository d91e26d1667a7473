export { kubeVip } from './tasks.ts'
