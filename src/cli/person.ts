import { userInfo } from 'node:os'

/** Asks the person at the terminal for a secret; null where nobody is there to answer. */
export async function askPerson(question: string): Promise<string | null> {
  if (process.stdin.isTTY !== true) return null
  const { isCancel, password } = await import('@clack/prompts')
  const answer = await password({ message: question })
  return isCancel(answer) ? null : answer
}

/** Whether the person agrees; without a terminal nobody does. */
export async function agrees(question: string): Promise<boolean> {
  if (process.stdin.isTTY !== true) return false
  const { confirm } = await import('@clack/prompts')
  return (await confirm({ message: question, initialValue: false })) === true
}

/** Who gave the command. */
export function personName(): string {
  try {
    return userInfo().username
  } catch {
    // A user id without a name, as in many containers.
    return String(process.getuid?.() ?? 'somebody')
  }
}
