export { EventBus } from './bus.ts'
export {
  type Change,
  type Finding,
  type Level,
  type NodeState,
  nodeStates,
  type Outcome,
  type Outline,
  type PathStep,
  type RunEvent,
  type Sink,
} from './event.ts'
export { errorFromJson, errorToJson, eventFromJson, eventToJson } from './event-json.ts'
export { finding, findingText } from './finding.ts'
