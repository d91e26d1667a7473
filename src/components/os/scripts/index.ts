export { postInstall, preInstall } from './tasks.ts'
