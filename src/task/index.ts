export { type Bound, type Planner, type Use, use } from './planner.ts'
export { defineTask, type Task } from './task.ts'
