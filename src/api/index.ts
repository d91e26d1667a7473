export { type ListeningServer, type ListenOptions, startServer } from './listen.ts'
