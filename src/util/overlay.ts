/** A tree of settings: maps of maps, with anything at the leaves. */
export type Settings = { readonly [key: string]: unknown }

/** Settings with others laid over them: maps are merged, everything else, lists too, is replaced. */
export function overlaid<T extends Settings>(base: T, over: Settings): T {
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key]
    merged[key] = isSettings(below) && isSettings(value) ? overlaid(below, value) : value
  }
  return merged as T
}

const isSettings = (value: unknown): value is Settings => typeof value === 'object' && value !== null && !Array.isArray(value)
