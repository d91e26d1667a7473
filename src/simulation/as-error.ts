import { fail, type KubexmError } from '../error/index.ts'
import type { HostName } from '../util/where.ts'
import type { Refusal } from './refusal.ts'

/** Gives a refusal the code the real runner gives it. */
export type AsError = (refusal: Refusal, host: HostName) => KubexmError

const circumstances = (refusal: Refusal, host: HostName) => ({ where: { host }, seen: refusal.message, cause: refusal })

/** A change of a file that the host refused. */
export const fileError =
  (action: string, path: string): AsError =>
  (refusal, host) =>
    fail('KX_FILE', { action, path, why: refusal.message }, circumstances(refusal, host))

/** A unit that did not do as told. */
export const serviceError =
  (action: string, unit: string): AsError =>
  (refusal, host) =>
    fail('KX_SERVICE', { action, unit }, circumstances(refusal, host))

/** A package manager that did not do as told. */
export const packageError =
  (action: string, names: readonly string[]): AsError =>
  (refusal, host) =>
    fail('KX_PACKAGE', { action, names: names.join(' ') }, circumstances(refusal, host))

/** Anything else, as the command that was run for it. */
export const commandError =
  (command: string): AsError =>
  (refusal, host) =>
    fail('KX_COMMAND', { command, code: refusal.code }, circumstances(refusal, host))

/** A sysctl the kernel has not, will not change, or will not set to this. */
export const sysctlError =
  (key: string, value: string, current: string | null): AsError =>
  (refusal, host) => {
    const about = circumstances(refusal, host)
    if (current === null) return fail('KX_SYSCTL_UNKNOWN', { key }, about)
    if (refusal.message.includes('permission denied')) return fail('KX_SYSCTL_READONLY', { key, value, current }, about)
    return fail('KX_SYSCTL_INVALID', { key, value, current }, about)
  }

/** A module the kernel does not have. */
export const moduleError =
  (module: string, kernel: string): AsError =>
  (refusal, host) =>
    fail('KX_MODULE_MISSING', { module, kernel }, circumstances(refusal, host))

/** A time zone the host does not know. */
export const timezoneError =
  (zone: string): AsError =>
  (refusal, host) =>
    fail('KX_TIMEZONE', { zone }, circumstances(refusal, host))
