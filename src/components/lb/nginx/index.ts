export { nginxPods, nginxService } from './tasks.ts'
