export { type ConsoleFile, consoleIn } from './console.ts'
export { type ListenOptions, startServer } from './listen.ts'
