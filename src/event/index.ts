export { EventBus } from './bus.ts'
export type { Change, Finding, Level, NodeState, Outcome, Outline, RunEvent, Sink } from './event.ts'
export { eventFromJson, eventToJson } from './event-json.ts'
export { finding, findingText } from './finding.ts'
