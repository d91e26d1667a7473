import { fail } from '../../error/index.ts'

/** An image's name, taken apart. */
export interface Reference {
  readonly registry: string
  readonly repository: string
  readonly tag: string
  readonly digest?: string
}

const repositoryForm = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/
const tagForm = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/

/** Reads `[registry/]repository[:tag][@digest]` with Docker's defaults: docker.io, `library/`, `latest`. */
export function parseReference(text: string): Reference {
  const [named = '', digest] = text.split('@')
  const slash = named.indexOf('/')
  const first = slash < 0 ? '' : named.slice(0, slash)
  // Only a first part that looks like a host is one: `library/nginx` has none, `localhost/nginx` and `host:5000/nginx` have.
  const hasRegistry = first.includes('.') || first.includes(':') || first === 'localhost'
  const registry = hasRegistry ? first : 'docker.io'
  const path = hasRegistry ? named.slice(slash + 1) : named
  const colon = path.lastIndexOf(':')
  const tag = colon < 0 ? 'latest' : path.slice(colon + 1)
  const bare = colon < 0 ? path : path.slice(0, colon)
  const repository = registry === 'docker.io' && !bare.includes('/') ? `library/${bare}` : bare
  if (!repositoryForm.test(repository) || !tagForm.test(tag) || (digest !== undefined && !/^sha256:[0-9a-f]{64}$/.test(digest)))
    throw fail('KX_IMAGE_NAME', { image: text })
  return { registry, repository, tag, ...(digest === undefined ? {} : { digest }) }
}

/** The full name: what a container runtime lists the image under. */
export const formatReference = (ref: Reference): string =>
  `${ref.registry}/${ref.repository}:${ref.tag}${ref.digest === undefined ? '' : `@${ref.digest}`}`
