import { useSyncExternalStore } from 'react'

export type JobTab = 'graph' | 'timeline' | 'log' | 'problems'
export const jobTabs = ['graph', 'timeline', 'log', 'problems'] as const satisfies readonly JobTab[]

/** A place in the console, as the path of the address says it. */
export type Route =
  | { readonly page: 'clusters' | 'new' | 'unknown' }
  | { readonly page: 'jobs'; readonly cluster: string; readonly status: string }
  | { readonly page: 'cluster'; readonly name: string }
  | { readonly page: 'job'; readonly id: string; readonly tab: JobTab; readonly query: Readonly<Record<string, string>> }

/** The place that an address names. */
export function routeOf(address: string): Route {
  const [path = '', search = ''] = address.replace(/^\//, '').split('?')
  const query = Object.fromEntries(new URLSearchParams(search))
  const [page = '', name = '', tab = 'graph'] = path.split('/').map(decoded)
  if (page === '' || (page === 'clusters' && name === '')) return { page: 'clusters' }
  if (page === 'new') return { page: 'new' }
  if (page === 'clusters') return { page: 'cluster', name }
  if (page === 'jobs' && name === '') return { page: 'jobs', cluster: query.cluster ?? '', status: query.status ?? '' }
  if (page === 'jobs' && isTab(tab)) return { page: 'job', id: name, tab, query }
  return { page: 'unknown' }
}

/** The address of a place. */
export function addressOf(route: Route): string {
  switch (route.page) {
    case 'cluster':
      return `/clusters/${encodeURIComponent(route.name)}`
    case 'job':
      return `/jobs/${encodeURIComponent(route.id)}/${route.tab}${searchOf(route.query)}`
    case 'jobs':
      return `/jobs${searchOf({ cluster: route.cluster, status: route.status })}`
    default:
      return route.page === 'new' ? '/new' : '/clusters'
  }
}

/** The place of a job's page. */
export const jobRoute = (id: string, tab: JobTab = 'graph', query: Readonly<Record<string, string>> = {}): Route => ({
  page: 'job',
  id,
  tab,
  query,
})

const isTab = (tab: string): tab is JobTab => (jobTabs as readonly string[]).includes(tab)

function searchOf(query: Readonly<Record<string, string>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** Someone may have typed a broken escape. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const listeners = new Set<() => void>()
const tell = (): void => {
  for (const listener of listeners) listener()
}

/** Goes to a place; `instead` of the one before, so that Back does not lead through every letter typed into a filter. */
export function go(route: Route, instead = false): void {
  if (instead) window.history.replaceState(null, '', addressOf(route))
  else window.history.pushState(null, '', addressOf(route))
  tell()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('popstate', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('popstate', listener)
  }
}

/** The address the browser is at. */
export const useAddress = (): string => useSyncExternalStore(subscribe, () => window.location.pathname + window.location.search)

/** Follows a link to one of our own pages without loading it anew; all others are the browser's business. */
export function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null || link.origin !== window.location.origin || link.hasAttribute('download') || link.pathname.startsWith('/api/')) return
  event.preventDefault()
  window.history.pushState(null, '', link.pathname + link.search)
  tell()
}
