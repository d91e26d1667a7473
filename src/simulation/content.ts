import { sha256 } from '../util/hash.ts'

/** What a file holds. Immutable, so that thousands of hosts share one copy of a large artifact; hashed once, when first asked. */
export class Content {
  readonly #data: string | Uint8Array
  #sha256: string | null = null
  #size: number | null = null

  constructor(data: string | Uint8Array) {
    this.#data = data
  }

  get size(): number {
    this.#size ??= typeof this.#data === 'string' ? Buffer.byteLength(this.#data) : this.#data.byteLength
    return this.#size
  }

  get sha256(): string {
    this.#sha256 ??= sha256(this.#data)
    return this.#sha256
  }

  /** This content with text after it; its size is known from the parts, so that a growing log is not counted again and again. */
  with(more: string): Content {
    const longer = new Content(this.text() + more)
    longer.#size = this.size + Buffer.byteLength(more)
    return longer
  }

  text(): string {
    return typeof this.#data === 'string' ? this.#data : Buffer.from(this.#data).toString('utf8')
  }

  bytes(): Uint8Array {
    return typeof this.#data === 'string' ? Buffer.from(this.#data) : this.#data
  }

  /** The first bytes, without decoding the rest. */
  head(length: number): Uint8Array {
    return typeof this.#data === 'string' ? Buffer.from(this.#data.slice(0, length)).subarray(0, length) : this.#data.subarray(0, length)
  }
}

/** The machine numbers of ELF headers, by the names Kubernetes gives architectures. */
const elfMachines: Readonly<Record<string, number>> = { amd64: 0x3e, arm64: 0xb7, riscv64: 0xf3, s390x: 0x16, ppc64le: 0x15 }

/** The bytes of a program that a simulated host of this architecture can start: an ELF header and its name. */
export function simulatedBinary(name: string, arch: string, size = 64): Uint8Array {
  const label = Buffer.from(`simulated program ${name} for ${arch}\n`)
  const bytes = Buffer.alloc(Math.max(size, 20 + label.length))
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
  bytes.writeUInt16LE(2, 16)
  bytes.writeUInt16LE(elfMachines[arch] ?? 0, 18)
  bytes.set(label, 20)
  return bytes
}

/** Why a kernel of this architecture would not execute the content; null where it would. */
export function execRefusal(content: Content, arch: string): string | null {
  const head = Buffer.from(content.head(20))
  if (head.length >= 2 && head.subarray(0, 2).toString('latin1') === '#!') return null
  const isElf = head.length >= 20 && head.subarray(0, 4).toString('latin1') === '\x7fELF'
  return isElf && head.readUInt16LE(18) === elfMachines[arch] ? null : 'Exec format error'
}
