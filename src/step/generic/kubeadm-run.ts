import { hostLayout } from '../../config/index.ts'
import { fail, type KubexmError } from '../../error/index.ts'
import { hostPaths, type Reader, type Runner, sh } from '../../runner/index.ts'
import { lastLines } from '../../util/last-lines.ts'

/** What kubeadm calls finds crictl and the kubelet here too; sudo may leave this directory out. */
const searchPath = `${hostLayout.programs}:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin`

/**
 * Runs kubeadm. One at a time: where kubexm was killed its kubeadm may still be at work, and the next one waits until it has ended.
 * A failure says what kubeadm said, and what the pods it waited for said before they died.
 */
export async function runKubeadm(on: Runner, look: Reader, verb: string, ...options: readonly string[]): Promise<string> {
  const lock = `${hostPaths.root}/kubeadm.lock`
  const words = [...verb.split(' '), ...options]
  const { code, stdout, stderr } = await on.run(sh`PATH=${searchPath} flock ${lock} ${hostLayout.programs}/kubeadm ${words}`, { ok: 'any' })
  if (code === 0) return stderr
  throw await explained(look, verb, stderr.trim() === '' ? stdout : stderr)
}

async function explained(look: Reader, verb: string, said: string): Promise<KubexmError> {
  const printed = said.replace(/^To see the stack trace of this error.*$/m, '').trim()
  const { phase, why, findings } = kubeadmFailure(printed)
  if (findings.length > 0) {
    const checks = findings.map(({ check }) => check).join(', ')
    return fail('KX_KUBEADM_PREFLIGHT', { findings: findings.map(({ problem }) => problem).join('; '), checks }, { seen: printed })
  }
  const seen = [lastLines(printed, 8), ...(await lastWords(look))].join('\n')
  return fail('KX_KUBEADM', { verb, phase, why }, { seen })
}

/** What kubeadm says went wrong: the phase, the reason, and the checks that failed. */
export function kubeadmFailure(printed: string): {
  readonly phase: string
  readonly why: string
  readonly findings: readonly { readonly check: string; readonly problem: string }[]
} {
  const findings = [...printed.matchAll(/\[ERROR ([^\]]+)\]: (.+)/g)].map(([, check = '', problem = '']) => ({ check, problem }))
  const said = /error execution phase ([\w/-]+): ([\s\S]+)/.exec(printed)
  const why = (said?.[2] ?? lastLines(printed, 1)).split('\n')[0] ?? ''
  return { phase: said?.[1] ?? 'unknown', why: why.trim(), findings }
}

/** The pods of the control plane that may have died, the one the others need first. */
const staticPods = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']

/** The end of what died pods printed; else of the API server, which all wait for; else of the kubelet, which starts it. */
async function lastWords(look: Reader): Promise<readonly string[]> {
  const died = await Promise.all(staticPods.map((name) => podLog(look, name, '--state=exited')))
  const words = died.filter((log) => log !== null)
  if (words.length > 0) return words
  const running = await podLog(look, 'kube-apiserver', '--state=running')
  if (running !== null) return [running]
  const { stdout } = await look.run(sh`journalctl --unit=kubelet --lines=8 --output=cat --no-pager`, { ok: 'any' })
  return stdout.trim() === '' ? [] : [`kubelet: ${lastLines(stdout, 8)}`]
}

/** The end of what the youngest container of a name printed; null where there is none. */
async function podLog(look: Reader, name: string, state: string): Promise<string | null> {
  const crictl = `${hostLayout.programs}/crictl`
  const { code, stdout } = await look.run(sh`${crictl} ps ${state} --quiet ${`--name=^${name}$`}`, { ok: 'any' })
  const [id = ''] = stdout.trim().split('\n')
  if (code !== 0 || id === '') return null
  const log = await look.run(sh`${crictl} logs --tail=8 ${id}`, { ok: 'any' })
  return `${name}: ${lastLines(`${log.stdout}${log.stderr}`, 8)}`
}
