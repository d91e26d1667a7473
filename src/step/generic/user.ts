import type { GroupState, UserState } from '../../runner/index.ts'
import { defineOp, type Kind, type Op } from '../op.ts'

const userKind: Kind<UserState> = {
  name: 'user',
  probe: (name) => ({ kind: 'user', name }),
  undo: async (on, name, before) => {
    if (before === null) await on.users.remove(name)
  },
  isBack: (before, now) => before !== null || now === null,
  isLeft: (before, now) => before === null && now !== null,
}

const groupKind: Kind<GroupState> = {
  name: 'group',
  probe: (name) => ({ kind: 'group', name }),
  undo: async (on, name, before) => {
    if (before === null) await on.users.removeGroup(name)
  },
  isBack: (before, now) => before !== null || now === null,
  isLeft: (before, now) => before === null && now !== null,
}

interface SystemUser {
  readonly name: string
  readonly home?: string
  readonly shell?: string
  readonly group?: string
  /** It owns data of the user's workloads: it stays as long as they do. */
  readonly data?: boolean
}

/** Makes a system user for a service to run as. */
export function makeSystemUser({ data = false, ...user }: SystemUser): Op {
  return defineOp({
    kind: userKind,
    id: user.name,
    does: `make user ${user.name}`,
    ...(data ? { data } : {}),
    probe: { kind: 'user', name: user.name },
    isDone: (state) => state !== null,
    capture: (state) => state,
    apply: (on) => on.users.add({ ...user, system: true }),
  })
}

/** Makes a group. */
export function makeGroup(name: string): Op {
  return defineOp({
    kind: groupKind,
    id: name,
    does: `make group ${name}`,
    probe: { kind: 'group', name },
    isDone: (state) => state !== null,
    capture: (state) => state,
    apply: (on) => on.users.addGroup(name),
  })
}

export const userKinds: readonly Kind<never>[] = [userKind, groupKind]
