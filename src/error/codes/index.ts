import { configCodes } from './config.ts'
import { connectionCodes } from './connection.ts'
import { engineCodes } from './engine.ts'
import { hostCodes } from './host.ts'
import { labCodes } from './lab.ts'
import { preflightCodes } from './preflight.ts'
import { resourceCodes } from './resource.ts'
import { sinkCodes } from './sink.ts'

/** Every error kubexm can report, by code. `docs/errors.md` is made from this table. */
export const codes = {
  ...engineCodes,
  ...configCodes,
  ...connectionCodes,
  ...hostCodes,
  ...labCodes,
  ...preflightCodes,
  ...resourceCodes,
  ...sinkCodes,
}
