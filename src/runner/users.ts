import { quote as q } from './command.ts'
import { commandFailure, type Hands } from './hands.ts'
import type { Users } from './runner.ts'

/** Users and groups of the host. What is there already stays as it is; what is gone already is no error. */
export function users(hands: Hands): Users {
  const change = async (unless: string, command: string): Promise<void> => {
    await hands.change(`${unless} || ${command}`, { orElse: commandFailure(command) })
  }
  return {
    add: async ({ name, system, home, shell, group }) => {
      const words = [
        ...(system ? ['--system', '--no-create-home'] : ['--create-home']),
        ...(home === undefined ? [] : ['--home-dir', home]),
        ...(group === undefined ? ['--user-group'] : ['--no-user-group', '--gid', group]),
        // Where the shell that lets nobody in is differs between families.
        ...(shell === undefined ? [] : ['--shell', shell]),
      ]
      const nologin = shell === undefined && system ? '--shell "$(command -v nologin || echo /bin/false)" ' : ''
      await change(`getent passwd ${q(name)} >/dev/null`, `useradd ${words.map(q).join(' ')} ${nologin}-- ${q(name)}`)
    },
    remove: async (name) => await change(`! getent passwd ${q(name)} >/dev/null`, `userdel -- ${q(name)}`),
    addGroup: async (name) => await change(`getent group ${q(name)} >/dev/null`, `groupadd --system -- ${q(name)}`),
    removeGroup: async (name) => await change(`! getent group ${q(name)} >/dev/null`, `groupdel -- ${q(name)}`),
  }
}
