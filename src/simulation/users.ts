import type { Users } from '../runner/index.ts'
import { makeDirectory } from './files.ts'
import { refuse } from './refusal.ts'
import { type HostState, processesOf, withKey } from './state.ts'
import { entryAt } from './tree.ts'

type NewUser = Parameters<Users['add']>[0]

/** Adds a user; without a group it gets one of its own name. Only ordinary users get a home directory. */
export function addUser(state: HostState, user: NewUser): HostState {
  if (state.users.has(user.name)) throw refuse(`useradd: user '${user.name}' already exists`, 9)
  if (!/^[a-z_][a-z0-9_-]*\$?$/.test(user.name)) throw refuse(`useradd: invalid user name '${user.name}'`, 3)
  if (user.group === undefined && state.groups.has(user.name))
    throw refuse(`useradd: group ${user.name} exists - if you want to add this user to that group, use -g.`, 9)
  const taken = new Set([...state.users.values()].map((record) => record.uid))
  const uid = freeId(taken, user.system)
  const withGroup =
    user.group === undefined ? { ...state, groups: withKey(state.groups, user.name, freeGroupId(state, uid, user.system)) } : state
  const gid = withGroup.groups.get(user.group ?? user.name)
  if (gid === undefined) throw refuse(`useradd: group '${user.group}' does not exist`, 6)
  const record = { uid, gid, home: user.home ?? `/home/${user.name}`, shell: user.shell ?? (user.system ? '/usr/sbin/nologin' : '/bin/sh') }
  const added = { ...withGroup, users: withKey(withGroup.users, user.name, record) }
  return user.system || entryAt(state.root, record.home) !== null
    ? added
    : makeDirectory(added, record.home, { mode: '0755', owner: user.name })
}

/** Removes a user and the group of its own name, unless one of its processes still runs. */
export function removeUser(state: HostState, name: string): HostState {
  const user = state.users.get(name)
  if (user === undefined) throw refuse(`userdel: user '${name}' does not exist`, 6)
  const busy = processesOf(state).find((process) => process.user === name)
  if (busy !== undefined) throw refuse(`userdel: user ${name} is currently used by process ${busy.pid}`, 8)
  const without = { ...state, users: withKey(state.users, name, undefined) }
  const ownGroup = state.groups.get(name) === user.gid && !isPrimary(without, user.gid)
  return ownGroup ? { ...without, groups: withKey(without.groups, name, undefined) } : without
}

/** Adds a system group. */
export function addGroup(state: HostState, name: string): HostState {
  if (state.groups.has(name)) throw refuse(`groupadd: group '${name}' already exists`, 9)
  return { ...state, groups: withKey(state.groups, name, freeId(new Set(state.groups.values()), true)) }
}

/** Removes a group that is nobody's primary one. */
export function removeGroup(state: HostState, name: string): HostState {
  const gid = state.groups.get(name)
  if (gid === undefined) throw refuse(`groupdel: group '${name}' does not exist`, 6)
  const member = [...state.users].find(([, user]) => user.gid === gid)
  if (member !== undefined) throw refuse(`groupdel: cannot remove the primary group of user '${member[0]}'`, 8)
  return { ...state, groups: withKey(state.groups, name, undefined) }
}

const isPrimary = (state: HostState, gid: number): boolean => [...state.users.values()].some((user) => user.gid === gid)

function freeGroupId(state: HostState, uid: number, system: boolean): number {
  const taken = new Set(state.groups.values())
  return taken.has(uid) ? freeId(taken, system) : uid
}

/** System ids are given from 999 down, others from 1000 up. */
function freeId(taken: ReadonlySet<number>, system: boolean): number {
  const step = system ? -1 : 1
  let id = system ? 999 : 1000
  while (taken.has(id)) id += step
  return id
}
