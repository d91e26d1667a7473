export { fetchArtifacts } from './tasks.ts'
