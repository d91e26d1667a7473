/** What a terminal showed, as a picture: text stays text, so that it can be searched and read aloud. */
export function terminalSvg(output: string, { columns, title }: { readonly columns: number; readonly title: string }): string {
  const lines = output.replace(/\r/g, '').trimEnd().split('\n')
  const width = Math.ceil(columns * cell.width) + 2 * margin
  const height = lines.length * cell.height + 2 * margin + bar
  const look: Look = { color: null, bold: false, faint: false }
  const rows = lines.map((line, i) => `<text x="${margin}" y="${bar + margin + i * cell.height + 14}">${spans(line, look)}</text>`)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" xml:space="preserve" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d8dee9;white-space:pre}</style>
<rect width="${width}" height="${height}" rx="8" fill="#1d232e"/>
${['#ec6a5e', '#f4bf4f', '#61c554'].map((fill, i) => `<circle cx="${18 + 18 * i}" cy="16" r="5.5" fill="${fill}"/>`).join('')}
<text x="${width / 2}" y="21" text-anchor="middle" style="fill:#8b95a7">${escaped(title)}</text>
${rows.join('\n')}
</svg>
`
}

const cell = { width: 7.83, height: 18 }
const margin = 16
const bar = 24

interface Look {
  color: string | null
  bold: boolean
  faint: boolean
}

const colors: Readonly<Record<number, string>> = {
  31: '#ef6b73',
  32: '#9ccc7d',
  33: '#ebcb6b',
  34: '#7aa2f7',
  35: '#c39ac9',
  36: '#7fc7d9',
  90: '#7c8698',
}

/** A line as pieces of one look each; a look goes on in the next line until it is changed. */
function spans(line: string, look: Look): string {
  const [first = '', ...rest] = line.split('\u001b')
  return rest.reduce(
    (out, part) => {
      const [, codes, text = part] = /^\[([\d;]*)m(.*)$/.exec(part) ?? []
      for (const code of codes?.split(';') ?? []) change(look, Number(code))
      return out + piece(text, look)
    },
    piece(first, look),
  )
}

function change(look: Look, code: number): void {
  if (code === 0) Object.assign(look, { color: null, bold: false, faint: false })
  else if (code === 1) look.bold = true
  else if (code === 2) look.faint = true
  else if (code === 22) Object.assign(look, { bold: false, faint: false })
  else if (code === 39) look.color = null
  else look.color = colors[code] ?? look.color
}

function piece(text: string, { color, bold, faint }: Look): string {
  const style = [color === null ? '' : `fill:${color}`, bold ? 'font-weight:bold' : '', faint ? 'opacity:.65' : ''].filter(
    (part) => part !== '',
  )
  return style.length === 0 || text === '' ? escaped(text) : `<tspan style="${style.join(';')}">${escaped(text)}</tspan>`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
