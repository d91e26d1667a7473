import type { Level, RunEvent } from '../event/index.ts'
import { logLine } from './json-log.ts'
import { harmless } from './text.ts'

/** The log of a job for people: one line an event, `03:04:42 INFO  node2 etcd.install: Start etcd: succeeded`. Null for progress. */
export function logText(event: RunEvent): { readonly level: Level; readonly text: string } | null {
  const line = logLine(event)
  if (line === null) return null
  const { level, timestamp, node, task, message } = line
  const place = [node, task].filter((part) => part !== null).join(' ')
  const start = `${timestamp.slice(11, 19)} ${level.toUpperCase().padEnd(5)} ${place === '' ? '' : `${place}: `}`
  return { level, text: harmless(message).replaceAll(/^/gm, start) }
}

const rank: Readonly<Record<Level, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** Whether a line of one level is shown to who asked for another. */
export const isShown = (level: Level, least: Level): boolean => rank[level] >= rank[least]
