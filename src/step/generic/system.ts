import type { FirewallState, HostnameState, SelinuxState, SwapState } from '../../runner/index.ts'
import { defineOp, type Kind, type Op } from '../op.ts'
import { fileBefore, fileKind, keepAside, writeFile } from './file.ts'

const hostnameKind: Kind<HostnameState> = {
  name: 'hostname',
  probe: () => ({ kind: 'hostname' }),
  undo: async (on, _id, { configured, current }) => {
    await on.system.setHostname(configured === '' ? current : configured)
    if (configured === '') await on.files.remove('/etc/hostname')
  },
  // A name that DHCP had given for the time being is not kept anywhere: where one was configured, that one counts.
  isBack: (before, now) => {
    const { configured, current } = now as HostnameState
    return configured === before.configured && (before.configured !== '' || current === before.current)
  },
}

const swapKind: Kind<SwapState> = {
  name: 'swap',
  probe: () => ({ kind: 'swap' }),
  undo: async (on, _id, before) => {
    if (before.active.length > 0) await on.system.swapOn(before.active)
  },
  isBack: (before, now) => before.active.every((area) => (now as SwapState).active.includes(area)),
}

const selinuxKind: Kind<SelinuxState> = {
  name: 'selinux',
  probe: () => ({ kind: 'selinux' }),
  undo: async (on, _id, before) => {
    if (before.mode === 'enforcing' || before.mode === 'permissive') await on.system.setSelinux(before.mode)
  },
  isBack: (before, now) => (now as SelinuxState).mode === before.mode,
}

const firewallKind: Kind<FirewallState> = {
  name: 'firewall',
  probe: () => ({ kind: 'firewall' }),
  undo: async (on, _id, before) => {
    if (before.tool !== null) await on.system.setFirewall(before.tool, { active: before.active, atBoot: before.atBoot })
  },
  isBack: (before, now) => (now as FirewallState).active === before.active && (now as FirewallState).atBoot === before.atBoot,
}

/** Gives the host its name. */
export const setHostname = (name: string): Op =>
  defineOp({
    kind: hostnameKind,
    id: 'hostname',
    does: `set the hostname to ${name}`,
    probe: { kind: 'hostname' },
    desired: { current: name },
    isDone: (state) => state.current === name && state.configured === name,
    capture: (state) => state,
    apply: (on) => on.system.setHostname(name),
  })

/** Sets the time zone. What is undone are the two files, since a zone may have been set in several ways. */
export function setTimezone(name: string): readonly Op[] {
  const path = '/etc/localtime'
  const zone = `/usr/share/zoneinfo/${name}`
  return [
    writeFile({ path: '/etc/timezone', content: `${name}\n`, onlyIfThere: true }),
    defineOp({
      kind: fileKind,
      id: path,
      does: `set the time zone to ${name}`,
      probe: { kind: 'file', path },
      desired: { target: zone },
      isDone: (state) => state.type === 'link' && (state.target === zone || state.target === `..${zone}`),
      capture: fileBefore,
      apply: async (on, _ctx, state) => {
        await keepAside(on, path, state)
        await on.system.setTimezone(name)
      },
    }),
  ]
}

/** Turns swap off for now; what turns it on at boot is a file. */
export const swapOff = (): Op =>
  defineOp({
    kind: swapKind,
    id: 'swap',
    does: 'turn swap off',
    probe: { kind: 'swap' },
    desired: { active: [] },
    isDone: (state) => state.active.length === 0,
    capture: (state) => state,
    apply: (on) => on.system.swapOff(),
  })

/** Makes SELinux permissive for now; what holds at boot is a file. */
export const selinuxPermissive = (): Op =>
  defineOp({
    kind: selinuxKind,
    id: 'selinux',
    does: 'make SELinux permissive',
    probe: { kind: 'selinux' },
    desired: { mode: 'permissive' },
    isDone: (state) => state.mode !== 'enforcing',
    capture: (state) => state,
    apply: (on) => on.system.setSelinux('permissive'),
  })

/** Turns firewalld or ufw off, now and at boot. */
export const firewallOff = (): Op =>
  defineOp({
    kind: firewallKind,
    id: 'firewall',
    does: 'turn the firewall off',
    probe: { kind: 'firewall' },
    desired: { active: false },
    isDone: (state) => !state.active && !state.atBoot,
    capture: (state) => state,
    apply: async (on, _ctx, state) => {
      if (state.tool !== null) await on.system.setFirewall(state.tool, { active: false, atBoot: false })
    },
  })

export const systemKinds: readonly Kind<never>[] = [hostnameKind, swapKind, selinuxKind, firewallKind]
