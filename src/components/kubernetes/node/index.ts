export { nodeSettings, nodesReady, nodeTraces, servingCertificates } from './tasks.ts'
