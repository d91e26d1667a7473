export { haproxyPods, haproxyService } from './tasks.ts'
