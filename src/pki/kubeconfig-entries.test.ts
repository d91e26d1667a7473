import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { entriesOf, withEntries, withoutEntries } from './kubeconfig-entries.ts'

const theirs = `# my clusters
apiVersion: v1
kind: Config
preferences: {}
clusters:
- name: home # the small one
  cluster:
    server: https://192.0.2.99:6443
users:
- name: me
  user:
    token: "0123"
contexts:
- name: home
  context:
    cluster: home
    user: me
current-context: home
`

const own = (authority = 'QUJD') =>
  entriesOf(
    `clusters:
- name: prod
  cluster: {server: "https://192.0.2.1:6443", certificate-authority-data: ${authority}}
users:
- name: kubernetes-admin
  user: {client-certificate-data: Y2VydA==, client-key-data: a2V5}
`,
    'kubexm-prod',
  )

const textOf = (changed: ReturnType<typeof withEntries>): string => {
  if (!('text' in changed)) throw new Error(JSON.stringify(changed))
  return changed.text
}

describe('entries in a kubeconfig', () => {
  it('come beside those of others, which stay to the letter', () => {
    const text = textOf(withEntries(theirs, own(), false))
    expect(text.startsWith(theirs.slice(0, theirs.indexOf('users:')).trimEnd())).toBe(true)
    expect(parse(text)).toMatchObject({
      clusters: [{ name: 'home' }, { name: 'kubexm-prod', cluster: { server: 'https://192.0.2.1:6443' } }],
      users: [
        { name: 'me', user: { token: '0123' } },
        { name: 'kubexm-prod', user: { 'client-key-data': 'a2V5' } },
      ],
      contexts: [{ name: 'home' }, { name: 'kubexm-prod', context: { cluster: 'kubexm-prod', user: 'kubexm-prod' } }],
      'current-context': 'home',
    })
    expect(withoutEntries(text, 'kubexm-prod')).toEqual({ text: theirs, isEmpty: false })
  })

  it('are the whole of a new one, which is empty when they go', () => {
    const text = textOf(withEntries('', own(), false))
    expect(parse(text)).toMatchObject({ apiVersion: 'v1', kind: 'Config', 'current-context': 'kubexm-prod' })
    const without = withoutEntries(text, 'kubexm-prod')
    expect(without).toMatchObject({ isEmpty: true })
    expect(parse(textOf(without))['current-context']).toBeUndefined()
  })

  it('go into what kubectl leaves of a kubeconfig without entries', () => {
    const empty = 'apiVersion: v1\nclusters: null\ncontexts: null\ncurrent-context: ""\nkind: Config\nusers: null\n'
    expect(parse(textOf(withEntries(empty, own(), false)))).toMatchObject({ clusters: [{ name: 'kubexm-prod' }] })
  })

  it('a second time change nothing, and new ones take the place of old ones with all the user has set beside them', () => {
    const once = textOf(withEntries(theirs, own(), false))
    expect(textOf(withEntries(once, own(), false))).toBe(once)
    const inNamespace = once.replace('cluster: kubexm-prod\n', 'cluster: kubexm-prod\n    namespace: shop\n')
    const renewed = { ...own(), user: { 'client-key-data': 'bmV3' } }
    const text = textOf(withEntries(inNamespace, renewed, false))
    expect(text).toContain('namespace: shop')
    expect(parse(text).users[1]).toEqual({ name: 'kubexm-prod', user: { 'client-key-data': 'bmV3' } })
  })

  it.each([
    ['another authority', textOf(withEntries(theirs, own('b3RoZXI='), false))],
    ['only a context', theirs.replace('- name: home\n  context', '- name: kubexm-prod\n  context')],
  ])('of the same name that lead elsewhere are never overwritten: %s', (_, text) => {
    expect(withEntries(text, own(), false)).toEqual({ foreign: true })
    // Unless it is known that kubexm wrote them: then the cluster has another authority now.
    expect(parse(textOf(withEntries(text, own(), true))).clusters.at(-1)).toMatchObject({
      cluster: { 'certificate-authority-data': 'QUJD' },
    })
  })

  it.each([
    ['a broken one', `${theirs}  oops: [`],
    ['a list', '- a\n'],
    ['clusters that are no list', 'clusters: {a: b}\n'],
    ['two documents', `${theirs}---\n${theirs}`],
    ['a key twice', `${theirs}users: []\n`],
  ])('are not put into what is no kubeconfig, and nothing of it is told: %s', (_, text) => {
    for (const changed of [withEntries(text, own(), false), withoutEntries(text, 'kubexm-prod')]) {
      expect(changed).toEqual({ wrong: expect.stringMatching(/./) })
      expect(JSON.stringify(changed)).not.toMatch(/0123|oops/)
    }
  })
})
