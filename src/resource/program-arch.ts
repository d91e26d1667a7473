import { open } from 'node:fs/promises'

/** The machine numbers of ELF headers, by the names Kubernetes gives architectures. */
const machines: Readonly<Record<string, number>> = { amd64: 0x3e, arm64: 0xb7, riscv64: 0xf3, s390x: 0x16, ppc64le: 0x15 }

/** The architecture a program is for, by its first bytes; null where the file is no program for Linux. */
export async function archOfProgram(path: string): Promise<string | null> {
  await using file = await open(path)
  const { buffer: head, bytesRead } = await file.read(Buffer.alloc(20), 0, 20, 0)
  if (bytesRead < 20 || head.subarray(0, 4).toString('latin1') !== '\x7fELF') return null
  const bigEndian = head[5] === 2
  const machine = bigEndian ? head.readUInt16BE(18) : head.readUInt16LE(18)
  return Object.keys(machines).find((arch) => machines[arch] === machine) ?? `machine ${machine}`
}
