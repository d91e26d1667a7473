import type { Certificate } from '../api/types.ts'
import { useApp } from '../app/context.ts'
import { dayText } from '../i18n/time.ts'

const day = 86_400_000
/** From so many days on an expiry deserves a colour. */
const soon = 30

/** Certificates, the one that ends first on top. */
export function Certificates({ certificates, now }: { readonly certificates: readonly Certificate[]; readonly now: number }) {
  const { say, language } = useApp()
  const sorted = certificates.toSorted((a, b) => Date.parse(a.not_after) - Date.parse(b.not_after) || a.name.localeCompare(b.name))
  return (
    <div className="table-frame tall">
      <table className="stack">
        <thead>
          <tr>
            <th>{say('cluster.col.name')}</th>
            <th className="grow">{say('cluster.col.subject')}</th>
            <th>{say('cluster.col.host')}</th>
            <th>{say('cluster.col.until')}</th>
            <th className="number">{say('cluster.col.left')}</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((certificate) => {
            const left = Math.floor((Date.parse(certificate.not_after) - now) / day)
            return (
              <tr key={`${certificate.host} ${certificate.name}`}>
                <td>
                  {certificate.name} {certificate.ca ? <span className="tag">{say('cluster.ca')}</span> : null}
                </td>
                <td className="grow cut">{certificate.subject}</td>
                <td>{certificate.host ?? ''}</td>
                <td>{dayText(certificate.not_after, language)}</td>
                <td className={`number ${left < 0 ? 'bad' : left < soon ? 'warn' : ''}`}>
                  {left < 0 ? say('cluster.expired') : say('cluster.days', { n: left })}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
