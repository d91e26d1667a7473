import { describe, expect, it } from 'vitest'
import { smallCluster, withRanges } from '../../test/support/clusters.ts'
import { apiServerArguments, controllerManagerArguments, defaultAuditPolicy, encryptionConfiguration, schedulerArguments } from './index.ts'

const kubernetes = (more: string) => smallCluster(`kubernetes:\n  version: v1.34.4\n${more.replace(/^(?=.)/gm, '  ')}`).cluster

describe('what the config decides about the control plane', () => {
  it.each([
    ['', { 'allow-privileged': 'true', 'authorization-mode': 'Node,RBAC', 'enable-admission-plugins': 'NodeRestriction' }],
    [
      'apiServer: {admissionPlugins: [NodeRestriction, AlwaysPullImages]}',
      { 'enable-admission-plugins': 'NodeRestriction,AlwaysPullImages' },
    ],
    ['apiServer: {etcdPrefix: /mine}', { 'etcd-prefix': '/mine' }],
    ['apiServer: {tlsCipherSuites: [A, B]}', { 'tls-cipher-suites': 'A,B' }],
    ['apiServer: {serviceNodePortRange: 20000-21000}', { 'service-node-port-range': '20000-21000' }],
    [
      'controllerManager: {podEvictionTimeout: 90s}',
      { 'default-not-ready-toleration-seconds': '90', 'default-unreachable-toleration-seconds': '90' },
    ],
    [
      'apiServer: {audit: {enabled: true, maxAge: 7}}',
      {
        'audit-log-maxage': '7',
        'audit-log-path': '/var/log/kubernetes/audit.log',
        'audit-policy-file': '/etc/kubernetes/audit/policy.yaml',
      },
    ],
    ['apiServer: {encryption: {enabled: true}}', { 'encryption-provider-config': '/etc/kubernetes/pki/encryption.yaml' }],
    [
      'featureGates: {ContainerCheckpoint: true}\napiServer: {featureGates: {ContainerCheckpoint: false, WatchList: true}}',
      { 'feature-gates': 'ContainerCheckpoint=false,WatchList=true' },
    ],
    ['apiServer: {extraArgs: {profiling: true}}', { profiling: 'true' }],
  ])('API server with %j', (spec, expected) => {
    expect(apiServerArguments(kubernetes(spec))).toMatchObject(expected)
  })

  it('leaves to Kubernetes what nobody says', () => {
    const names = Object.keys(apiServerArguments(kubernetes('')))
    for (const absent of [
      'etcd-prefix',
      'default-not-ready-toleration-seconds',
      'audit-policy-file',
      'encryption-provider-config',
      'feature-gates',
    ])
      expect(names).not.toContain(absent)
  })

  it('keeps controller manager and scheduler to themselves', () => {
    const cluster = kubernetes('controllerManager: {nodeMonitorGracePeriod: 20s}\nscheduler: {featureGates: {WatchList: true}}')
    expect(controllerManagerArguments(cluster)).toMatchObject({
      'bind-address': '127.0.0.1',
      'node-cidr-mask-size': '24',
      'node-monitor-grace-period': '20s',
      profiling: 'false',
    })
    expect(schedulerArguments(cluster)).toEqual({ 'bind-address': '127.0.0.1', 'feature-gates': 'WatchList=true', profiling: 'false' })
  })

  it('cuts IPv6 pod ranges by their own size', () => {
    expect(controllerManagerArguments(withRanges(['fd01::/48'], ['fd02::/112']))['node-cidr-mask-size']).toBe('64')
  })
})

describe('files of the API server', () => {
  it('encrypt with one key, and still read what was written before', () => {
    const { encryption } = kubernetes('apiServer: {encryption: {enabled: true, provider: aescbc, resources: [secrets, configmaps]}}').spec
      .kubernetes.apiServer
    expect(encryptionConfiguration(encryption, 'a2V5\n').resources).toEqual([
      {
        resources: ['secrets', 'configmaps'],
        providers: [{ aescbc: { keys: [{ name: 'key1', secret: 'a2V5' }] } }, { identity: {} }],
      },
    ])
  })

  it('audit without writing down the contents of secrets', () => {
    const levels = (defaultAuditPolicy.rules as readonly { readonly level: string }[]).map(({ level }) => level)
    expect(levels.at(-1)).toBe('Metadata')
    expect(new Set(levels)).toEqual(new Set(['None', 'Metadata']))
  })
})
