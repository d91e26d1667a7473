export { type Planner, use } from './planner.ts'
export { defineTask, type Task } from './task.ts'
