export { provideImages } from './tasks.ts'
