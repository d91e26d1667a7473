import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressOf, jobRoute, jobTabs, type Route, routeOf } from './route.ts'

describe('routes', () => {
  it.each<[string, Route]>([
    ['/', { page: 'clusters' }],
    ['/clusters', { page: 'clusters' }],
    ['/clusters/a%2Fb', { page: 'cluster', name: 'a/b' }],
    ['/jobs?status=Failed', { page: 'jobs', cluster: '', status: 'Failed' }],
    ['/jobs/7f3a', jobRoute('7f3a')],
    ['/jobs/7f3a/log?host=node1', jobRoute('7f3a', 'log', { host: 'node1' })],
    ['/jobs/7f3a/else', { page: 'unknown' }],
    ['/new', { page: 'new' }],
    ['/nowhere', { page: 'unknown' }],
    ['/clusters/%zz', { page: 'cluster', name: '%zz' }],
  ])('%s is %j', (address, route) => expect(routeOf(address)).toEqual(route))

  it('lead back to where they came from', () => {
    const name = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.isWellFormed())
    const route: fc.Arbitrary<Route> = fc.oneof(
      name.map((text): Route => ({ page: 'cluster', name: text })),
      fc.tuple(name, name).map(([cluster, status]): Route => ({ page: 'jobs', cluster, status })),
      fc.tuple(name, fc.constantFrom(...jobTabs), name).map(([id, tab, text]) => jobRoute(id, tab, { text })),
    )
    fc.assert(
      fc.property(route, (given) => {
        expect(routeOf(addressOf(given))).toEqual(given)
      }),
    )
  })
})
