export { EventBus } from './bus.ts'
export type { Change, Finding, Level, NodeState, Outcome, Outline, PathStep, RunEvent, Sink } from './event.ts'
export { errorFromJson, errorToJson, eventFromJson, eventToJson } from './event-json.ts'
export { finding, findingText } from './finding.ts'
