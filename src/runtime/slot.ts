import type { Json } from '../util/json.ts'

declare const slotType: unique symbol

/** How far a value reaches: one for the whole run, one per module, per task, or one per host. */
export type SlotScope = 'pipeline' | 'module' | 'task' | 'host'

/** A typed place for a value that one step makes at run time and another needs. */
export interface Slot<T extends Json> {
  readonly key: string
  readonly scope: SlotScope
  /** A secret value is sealed in the journal and redacted everywhere else. */
  readonly secret: boolean
  readonly [slotType]?: T
}

/** Any slot, where its value's type does not matter. */
export type AnySlot = Slot<Json>

export const slot = <T extends Json>(key: string, options: { readonly scope?: SlotScope; readonly secret?: boolean } = {}): Slot<T> => ({
  key,
  scope: options.scope ?? 'pipeline',
  secret: options.secret ?? false,
})

/** The place of a slot's value for one node. */
export function slotAddress(of: AnySlot, at: { readonly module: string; readonly task: string; readonly host: string }): string {
  switch (of.scope) {
    case 'pipeline':
      return of.key
    case 'module':
      return `${of.key}@${at.module}`
    case 'task':
      return `${of.key}@${at.module}/${at.task}`
    case 'host':
      return `${of.key}@${at.host}`
  }
}
