import { expect, test } from 'vitest'
import { builtinModules } from './kernel-modules.ts'

test('only what is built into the kernel is listed as such', () => {
  const config =
    'CONFIG_OVERLAY_FS=y\nCONFIG_IP_VS=m\n# CONFIG_NET_IPIP is not set\nCONFIG_BRIDGE_NETFILTER=y\nCONFIG_BRIDGE_NETFILTER_EXTRA=y\nCONFIG_LOCALVERSION="=y"\n'
  expect(builtinModules(config)).toEqual(['kernel/fs/overlayfs/overlay.ko', 'kernel/net/bridge/br_netfilter.ko'])
})
