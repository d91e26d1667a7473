import { highAvailability, type InitOptions } from '../config/index.ts'
import { fail } from '../error/index.ts'

/** Asks at the terminal for what a starter config needs and the flags did not say. */
export async function askInitOptions(given: Partial<InitOptions>): Promise<InitOptions> {
  // Loaded only here: nothing else needs to wait for the library.
  const prompts = await import('@clack/prompts')
  const answered = <T>(answer: T | symbol): T => {
    if (prompts.isCancel(answer)) throw fail('KX_CANCELLED', {})
    return answer as T
  }
  const text = async (message: string, placeholder: string, initialValue = '') =>
    answered<string>(
      await prompts.text({
        message,
        placeholder,
        initialValue,
        validate: (value) => ((value ?? '').trim() === '' ? 'an answer is needed' : undefined),
      }),
    )
  const name = given.name ?? (await text('Name of the cluster', 'mycluster', 'mycluster'))
  const hosts = words(await text('Hosts, separated by spaces: name=address or address', 'node1=172.16.0.2 node2=172.16.0.3'))
  const names = hosts.map((host, i) => (host.includes('=') ? (host.split('=')[0] ?? '') : `node${i + 1}`))
  const masters =
    given.masters ??
    answered<string[]>(
      await prompts.multiselect({
        message: 'Which hosts form the control plane?',
        options: names.map((value) => ({ value, label: value })),
        required: true,
      }),
    )
  const type =
    given.type ??
    answered<'kubeadm' | 'kubexm'>(
      await prompts.select({
        message: 'How is the control plane installed?',
        options: [
          { value: 'kubeadm', label: 'kubeadm' },
          { value: 'kubexm', label: 'kubexm: binaries under systemd' },
        ],
      }),
    )
  const chosen = masters.length === 1 ? 'none' : await askHighAvailability()
  const needsHosts = chosen === 'kubexm-kh' || chosen === 'kubexm-kn'
  const loadbalancers = needsHosts
    ? (given.loadbalancers ?? words(await text('Hosts for the load balancer', 'node4 node5')))
    : given.loadbalancers
  const vip =
    needsHosts || chosen === 'kube-vip' || chosen === 'external'
      ? (given.vip ?? (await text('Virtual address of the API endpoint', '172.16.0.253')))
      : given.vip
  return {
    ...given,
    name,
    hosts,
    masters,
    type,
    highAvailability: chosen,
    ...(loadbalancers === undefined ? {} : { loadbalancers }),
    ...(vip === undefined ? {} : { vip }),
  }

  async function askHighAvailability(): Promise<(typeof highAvailability)[number]> {
    if (given.highAvailability !== undefined) return given.highAvailability
    const options = highAvailability.filter((value) => value !== 'none').map((value) => ({ value, label: value }))
    return answered<(typeof highAvailability)[number]>(
      await prompts.select({ message: 'How are the masters reached when one is down?', options }),
    )
  }
}

const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')
