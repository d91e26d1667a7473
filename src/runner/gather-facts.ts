import type { Facts } from './facts.ts'
import { parseFacts, type RawFacts } from './facts-parse.ts'
import { type FactName, factScripts } from './facts-script.ts'
import { framed } from './frames.ts'
import { commandFailure, type Hands } from './hands.ts'

/** Learns all about a host in one round trip. */
export async function gatherFacts(hands: Hands): Promise<Facts> {
  const names = Object.keys(factScripts) as FactName[]
  const { script, parse } = framed(names.map((name) => factScripts[name]))
  const askedAt = Date.now()
  let answeredAt = 0
  const answer = await hands.ask(script, {
    keep: 16 * 1024 * 1024,
    // The clock is the first answer: it is on its way before the others are asked.
    onStdout: () => {
      answeredAt ||= Date.now()
    },
    orElse: commandFailure('facts'),
  })
  const raw = Object.fromEntries(parse(answer.stdout).map((frame, i) => [names[i], frame.output.toString()])) as unknown as RawFacts
  return parseFacts(raw, askedAt, answeredAt)
}
