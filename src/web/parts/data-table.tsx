import type { ReactNode } from 'react'

/** A column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  /** `grow` takes the room that is left, `number` stands to the right. */
  readonly kind?: 'grow' | 'number'
  /** On a phone, where a row is a few lines: whether its title is said before the value. */
  readonly named?: boolean
  readonly className?: (row: Row) => string
}

interface Props<Row> {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Scrolls by itself when it is long. */
  readonly tall?: boolean
}

/** A table; on a phone each row becomes a few lines. */
export function DataTable<Row>({ columns, rows, keyOf, tall = false }: Props<Row>) {
  return (
    <div className={`table-frame ${tall ? 'tall' : ''}`}>
      <table className="stack">
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th key={title} className={kind}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, kind = '', named = false, className }) => (
                <td key={title} className={`${kind} ${className?.(row) ?? ''}`} data-title={named ? title : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
