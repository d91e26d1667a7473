import { type Reader, sh } from '../../runner/index.ts'

/** The ports of these that nothing on the host listens on, in words; null where there is somebody behind each of them. */
export async function notListening(on: Reader, ports: readonly number[]): Promise<string | null> {
  const [answer] = await on.inspect([{ kind: 'command', command: sh`ss -H -l -n -t` }])
  const missing = ports.filter((port) => !new RegExp(`:${port}\\s`).test(answer.stdout))
  return missing.length === 0 ? null : `nothing listens on ${missing.join(', ')}/tcp`
}
