export { issueCertificates } from './tasks.ts'
