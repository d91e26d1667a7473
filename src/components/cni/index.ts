import { flannel } from './flannel/index.ts'

/** The network plugins; each is required where the config names it, and none where it says none. */
export const networkPlugins = [flannel] as const
