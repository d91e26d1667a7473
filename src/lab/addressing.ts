import type { NetworkName } from './types.ts'

interface Network {
  readonly ipv4: string
  readonly ipv6: string
}

// The same in every lab: labs do not see each other, and tests and examples can name addresses.
const networks: Readonly<Record<NetworkName, Network>> = {
  lab: { ipv4: '10.77.0', ipv6: 'fd77::' },
  private: { ipv4: '10.78.0', ipv6: 'fd78::' },
}

/** The most hosts a lab can have; the addresses above them stay free for VIPs. */
export const hostLimit = 200
const firstHost = 10

/** The address of the switch itself: the hosts' gateway and, in the lab network, the place kubexm runs at. */
export const gateway = (network: NetworkName): Network => at(network, 1)

/** The addresses of the host with this number, counted from 1. */
export const hostAddress = (network: NetworkName, index: number): Network => at(network, firstHost + index)

/** Addresses in the lab network that no host will ever have: for VIPs. */
export const spareAddresses: readonly Network[] = [241, 242, 243, 244, 245, 246, 247, 248].map((n) => at('lab', n))

// The same number in both families: 10.77.0.11 is fd77::11.
function at(network: NetworkName, last: number): Network {
  return { ipv4: `${networks[network].ipv4}.${last}`, ipv6: `${networks[network].ipv6}${last}` }
}
