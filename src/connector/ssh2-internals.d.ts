/** Parts of ssh2 1.17 that its public types leave out. The version is pinned; an integration test notices when they move. */
declare module 'ssh2/lib/protocol/crypto.js' {
  const crypto: { readonly bindingAvailable: boolean }
  export default crypto
}

declare module 'ssh2/lib/protocol/utils.js' {
  const utils: { sendPacket(protocol: unknown, packet: Buffer): boolean }
  export default utils
}
