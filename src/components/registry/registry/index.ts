export { pushImages, registryService } from './tasks.ts'
