import { preflightExistingCodes } from './preflight-existing.ts'
import { preflightHostCodes } from './preflight-host.ts'
import { preflightKernelCodes } from './preflight-kernel.ts'
import { preflightNetworkCodes } from './preflight-network.ts'

/** Everything preflight can find; each of these codes can be accepted with `preflight.skipChecks`. */
export const preflightCodes = { ...preflightHostCodes, ...preflightExistingCodes, ...preflightKernelCodes, ...preflightNetworkCodes }
