export { type ListenOptions, startServer } from './listen.ts'
