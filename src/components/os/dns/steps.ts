import type { FileState } from '../../../runner/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { editFile } from '../../../step/generic/edit.ts'
import { writeFile } from '../../../step/generic/file.ts'
import { reconfigureService } from '../../../step/generic/service.ts'
import { composeStep, condition } from '../../../step/index.ts'
import { minutes, seconds } from '../../../util/time.ts'
import { isMerged, type Resolvers, resolvConfBlock, resolvedDropIn } from './templates.ts'

const path = '/etc/resolv.conf'

/** systemd-resolved writes the file that resolv.conf then links to; what is written there by others does not last. */
const isResolved = (state: FileState): boolean => state.type === 'link' && /\/systemd\/(resolve\/)?(stub-)?resolv\.conf$/.test(state.target)

export const addToResolvConf = composeStep({
  name: 'dns.resolv-conf',
  title: 'Add name servers to /etc/resolv.conf',
  timeout: seconds(30),
  when: condition({ kind: 'file', path }, (state) => !isResolved(state)),
  ops: (ctx) => {
    const wanted = resolversFor(ctx)
    const off = (line: string, text: string): boolean => isMerged(line, text, wanted)
    return [editFile({ path, does: `add name servers to ${path}`, off, add: (text) => resolvConfBlock(text, wanted), at: 'start' })]
  },
})

export const addToResolved = composeStep({
  name: 'dns.resolved',
  title: 'Add name servers to systemd-resolved',
  timeout: minutes(1),
  when: condition({ kind: 'file', path }, isResolved),
  ops: (ctx) =>
    reconfigureService({
      unit: 'systemd-resolved.service',
      files: [writeFile({ path: '/etc/systemd/resolved.conf.d/kubexm.conf', content: resolvedDropIn(resolversFor(ctx)) })],
    }),
})

/** What is asked of the config: reads spec.extra.resolves.address */
function resolversFor({ cluster }: StepContext): Resolvers {
  const { resolves, searches, options } = cluster.spec.extra
  return { nameservers: resolves.map(({ address }) => address), searches, options }
}
