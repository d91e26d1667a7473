/** A sample of the text format of Prometheus. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Reads the text format of Prometheus strictly: a line that is neither a comment nor a sample is an error, and so is a sample without a type. */
export function parsePrometheus(text: string): { readonly types: ReadonlyMap<string, string>; readonly samples: readonly Sample[] } {
  const types = new Map<string, string>()
  const samples: Sample[] = []
  for (const line of text.split('\n')) {
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram|summary|untyped)$/.exec(line)
    if (type?.[1] !== undefined) {
      if (types.has(type[1])) throw new Error(`the type of ${type[1]} is told twice`)
      types.set(type[1], type[2] ?? '')
    } else if (line !== '' && !line.startsWith('# HELP ')) samples.push(sampleOf(line, types))
  }
  return { types, samples }
}

function sampleOf(line: string, types: ReadonlyMap<string, string>): Sample {
  const [, name, , inside = '', value] = /^([a-zA-Z_:][\w:]*)(\{(.*)\})? (NaN|[+-]Inf|[-+]?[\d.]+(?:e[-+]?\d+)?)$/.exec(line) ?? []
  if (name === undefined || value === undefined) throw new Error(`not a sample: ${line}`)
  if (!types.has(name) && !types.has(name.replace(/_(bucket|sum|count)$/, ''))) throw new Error(`a sample without a type: ${line}`)
  const labels: Record<string, string> = {}
  let rest = inside
  while (rest !== '') {
    const [whole, label, text] = /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/.exec(rest) ?? []
    if (whole === undefined || label === undefined) throw new Error(`bad labels: ${line}`)
    labels[label] = (text ?? '').replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))
    rest = rest.slice(whole.length)
  }
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) }
}
