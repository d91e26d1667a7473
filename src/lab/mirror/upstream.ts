import { fail, KubexmError } from '../../error/index.ts'
import { type CatalogueFile, locate, locateImage, type Origin } from '../../resource/catalogue.ts'
import type { Catalogue } from '../../resource/catalogue-schema.ts'
import { parseChecksumFile } from '../../resource/checksum.ts'
import { download } from '../../resource/download.ts'
import { HttpClient, readText } from '../../resource/http.ts'
import { parseReference } from '../../resource/oci/reference.ts'
import { RegistryClient } from '../../resource/oci/registry.ts'
import { pullToArchive } from '../../resource/oci/transfer.ts'
import { semaphore } from '../../util/semaphore.ts'
import { seconds } from '../../util/time.ts'

/** Whether things are fetched from their publishers or built here: `auto` asks the network once, and only when something is missing. */
export type MirrorSource = 'auto' | 'download' | 'build'

/** What fetching needs to know. */
export interface UpstreamOptions {
  readonly source: MirrorSource
  readonly catalogue: Catalogue
  /** Another mirror, or a zone, instead of the publishers. */
  readonly origin: Origin
  /** The image mirror speaks plain HTTP. */
  readonly plainHttp: boolean
  readonly signal: AbortSignal
}

const probeAddress = 'https://dl.k8s.io/release/stable.txt'

/** The publishers of files and images, as far as this machine can reach them. */
export class Upstream implements Disposable {
  readonly #options: UpstreamOptions
  readonly #http = new HttpClient()
  readonly #atOnce = semaphore(4)
  #reachable: Promise<boolean> | undefined

  constructor(options: UpstreamOptions) {
    this.#options = options
  }

  /** Whether to download at all. */
  reachable(): Promise<boolean> {
    const { source } = this.#options
    if (source !== 'auto') return Promise.resolve(source === 'download')
    this.#reachable ??= this.#probe()
    return this.#reachable
  }

  /** Fetches a file and proves it against its publisher's checksum. False: the publisher does not have it. */
  async fetch(file: CatalogueFile, to: string): Promise<boolean> {
    const { catalogue, origin, signal } = this.#options
    const sha256 = file.sha256 ?? (await this.#checksum(file))
    return await whereExisting(() =>
      this.#atOnce(() => download({ url: locate(catalogue, file.url, origin), to, sha256 }, { http: this.#http, signal })),
    )
  }

  /** Fetches an image for one architecture into an archive. False: the registry does not have it. */
  async pull(image: string, arch: string, to: string): Promise<boolean> {
    const { catalogue, origin, plainHttp, signal } = this.#options
    const { registry, repository, tag } = parseReference(locateImage(catalogue, image, origin))
    using client = new RegistryClient({ registry, plainHttp, signal })
    const from = { repository, reference: tag, architectures: [arch] }
    return await whereExisting(() => this.#atOnce(() => pullToArchive(client, from, { file: to, name: image, signal })))
  }

  [Symbol.dispose](): void {
    this.#http[Symbol.dispose]()
  }

  /** One short question: a machine without internet must not wait long to learn it. */
  async #probe(): Promise<boolean> {
    using http = new HttpClient({ stall: seconds(3) })
    const signal = AbortSignal.any([this.#options.signal, AbortSignal.timeout(seconds(3))])
    const answer = await http.request(locate(this.#options.catalogue, probeAddress, this.#options.origin), { signal }).catch(() => null)
    answer?.body.destroy()
    return answer?.status === 200
  }

  async #checksum(file: CatalogueFile): Promise<string | null> {
    if (file.checksumUrl === null) return null
    const { catalogue, origin, signal } = this.#options
    const url = locate(catalogue, file.checksumUrl, origin)
    const response = await this.#http.request(url, { signal })
    const text = await readText(response)
    if (response.status === 404) return null
    if (response.status !== 200) throw fail('KX_DOWNLOAD_REFUSED', { url, status: response.status })
    return parseChecksumFile(text, file.fileName)
  }
}

/** True when the work was done; false when the source answered that there is no such thing. */
async function whereExisting(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (
      error instanceof KubexmError &&
      error.code === 'KX_DOWNLOAD_REFUSED' &&
      (error.params.status === 404 || error.params.status === 403)
    )
      return false
    throw error
  }
}
