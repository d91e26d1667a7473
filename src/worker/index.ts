export { runWorker, type WorkerNews, type WorkerOptions } from './worker.ts'
