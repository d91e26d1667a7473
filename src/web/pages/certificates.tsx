import type { Certificate } from '../api/types.ts'
import { useApp } from '../app/context.ts'
import { dayText } from '../i18n/time.ts'
import { type Column, DataTable } from '../parts/data-table.tsx'

const day = 86_400_000
/** From so many days on an expiry deserves a colour. */
const soon = 30

/** Certificates, the one that ends first on top. */
export function Certificates({ certificates, now }: { readonly certificates: readonly Certificate[]; readonly now: number }) {
  const { say, language } = useApp()
  const sorted = certificates.toSorted((a, b) => Date.parse(a.not_after) - Date.parse(b.not_after) || a.name.localeCompare(b.name))
  const daysLeft = ({ not_after }: Certificate): number => Math.floor((Date.parse(not_after) - now) / day)
  const columns: readonly Column<Certificate>[] = [
    {
      title: say('cluster.col.name'),
      cell: ({ name, ca }) => (
        <>
          {name} {ca ? <span className="tag">{say('cluster.ca')}</span> : null}
        </>
      ),
    },
    { title: say('cluster.col.subject'), kind: 'grow', className: () => 'cut', cell: ({ subject }) => subject },
    { title: say('cluster.col.host'), cell: ({ host }) => host },
    { title: say('cluster.col.until'), named: true, cell: ({ not_after }) => dayText(not_after, language) },
    {
      title: say('cluster.col.left'),
      kind: 'number',
      className: (certificate) => (daysLeft(certificate) < 0 ? 'bad' : daysLeft(certificate) < soon ? 'warn' : ''),
      cell: (certificate) => (daysLeft(certificate) < 0 ? say('cluster.expired') : say('cluster.days', { n: daysLeft(certificate) })),
    },
  ]
  return <DataTable columns={columns} rows={sorted} keyOf={({ host, name }) => `${host} ${name}`} tall />
}
