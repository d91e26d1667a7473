import { padded, width } from '../sink/index.ts'

/** Rows with their columns below each other. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => width(row[column] ?? ''))))
  const line = (row: readonly string[]): string => row.map((cell, column) => padded(cell, widths[column] ?? 0)).join('  ')
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('')
}
