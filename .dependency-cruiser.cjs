/**
 * The layer law: who may import whom. One rule per arrow; `test/layers` plants a violation of each.
 * A layer may import what is listed for it, itself, and the foundation (util, error, event).
 */
const layers = {
  util: [],
  error: ['util'],
  event: ['util', 'error'],
  config: ['components-config'],
  connector: [],
  runner: ['connector'],
  runtime: ['config', 'connector', 'runner', 'resource', 'pki'],
  simulation: ['connector', 'runner'],
  ledger: ['runner'],
  // Pure: objects of Kubernetes from a cluster and its hosts, for whichever way of installing it.
  manifest: ['config'],
  step: ['runner', 'runtime', 'ledger', 'config', 'pki', 'resource', 'manifest'],
  plan: ['step', 'runtime'],
  resource: ['config'],
  pki: ['config', 'resource', 'manifest'],
  task: ['plan', 'step', 'runtime'],
  module: ['task', 'plan', 'runtime', 'components'],
  pipeline: ['module', 'plan', 'runtime'],
  engine: ['plan', 'step', 'runtime', 'runner', 'ledger', 'config', 'resource', 'pki'],
  sink: [],
  store: [],
  app: [
    'pipeline',
    'module',
    'plan',
    'step',
    'engine',
    'runtime',
    'runner',
    'connector',
    'config',
    'sink',
    'store',
    'simulation',
    'ledger',
    'resource',
    'pki',
    'task',
  ],
  lab: ['connector', 'runner', 'resource', 'config', 'simulation'],
  // The command line also starts the other doors: `serve`, `worker`, `api-server`.
  cli: ['app', 'config', 'sink', 'lab', 'resource', 'plan', 'api', 'worker'],
  api: ['app', 'config', 'sink', 'store'],
  worker: ['app', 'store', 'sink'],
  controller: ['app', 'config'],
  // The console runs in browsers: it shares words and shapes with the rest, nothing that needs a machine.
  web: ['api-shapes'],
}

const foundation = ['util', 'error', 'event']

const mayImport = (layer) =>
  [layer, ...(foundation.includes(layer) ? [] : foundation), ...layers[layer]].map((name) =>
    name === 'components-config'
      ? '^src/components/.+/config\\.ts$'
      : name === 'components'
        ? '^src/components/.+/index\\.ts$'
        : name === 'api-shapes'
          ? '^src/api/schemas\\.ts$'
          : `^src/${name}/`,
  )

/** A heavy package has one home, so that nothing else pays for loading it. */
const homes = {
  ssh2: 'connector',
  'ssh-config': 'connector',
  commander: 'cli',
  'prom-client': 'sink',
  fastify: 'api',
  pg: 'store',
  kysely: 'store',
  '@kubernetes/client-node': 'controller',
  react: 'web',
  'react-dom': 'web',
  '@peculiar/x509': 'pki',
  'reflect-metadata': 'pki',
}

const testFiles = '\\.test\\.ts$'

/** Inside a component the file name is the layer. */
const roles = [
  { file: 'config', may: [] },
  { file: 'templates', may: ['config'], layers: ['config', 'manifest'] },
  { file: 'slots', may: [], layers: ['runtime'] },
  // Many small steps of one kind, such as checks, may fill a folder of their own behind steps.ts.
  {
    file: 'checks',
    path: 'checks/[^/]+',
    may: ['config', 'templates', 'slots', 'checks/[^/]+'],
    layers: ['step', 'runner', 'runtime', 'config', 'ledger'],
  },
  {
    file: 'steps',
    may: ['config', 'templates', 'slots', 'checks/[^/]+'],
    layers: ['step', 'runner', 'runtime', 'config', 'resource', 'pki', 'manifest'],
  },
  { file: 'tasks', may: ['config', 'steps', 'slots'], layers: ['task', 'plan', 'runtime', 'config', 'resource', 'manifest'] },
  { file: 'index', may: ['tasks'], layers: [] },
]

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-unknown-layer',
      severity: 'error',
      from: { path: '^src/', pathNot: [`^src/(${Object.keys(layers).join('|')}|components)/`, '^src/[^/]+\\.ts$'] },
      to: {},
    },
    ...Object.keys(layers).map((layer) => ({
      name: `layer-${layer}`,
      severity: 'error',
      from: { path: `^src/${layer}/`, pathNot: testFiles },
      to: { path: '^src/', pathNot: mayImport(layer) },
    })),
    ...roles.map(({ file, path = file, may, layers: outside = [] }) => ({
      name: `component-${file}`,
      severity: 'error',
      from: { path: `^src/components/([^/]+/[^/]+)/${path}\\.ts$`, pathNot: testFiles },
      to: {
        path: '^src/',
        pathNot: [
          ...foundation.map((name) => `^src/${name}/`),
          ...outside.map((name) => `^src/${name}/`),
          ...(may.length > 0 ? [`^src/components/$1/(${may.join('|')})\\.ts$`] : []),
          // Schemas may share words: one component's config may build on another's.
          ...(file === 'config' ? ['^src/components/.+/config\\.ts$', '^src/config/'] : []),
        ],
      },
    })),
    {
      name: 'tasks-take-steps',
      severity: 'error',
      comment: 'a generic step is not a step',
      from: { path: '^src/components/.+/tasks\\.ts$' },
      to: { path: '^src/step/generic/' },
    },
    {
      name: 'web-takes-types',
      severity: 'error',
      comment: 'the shapes of answers are for the compiler: nothing of the server is sent to browsers',
      from: { path: '^src/web/', pathNot: testFiles },
      to: { path: '^src/api/', dependencyTypesNot: ['type-only'] },
    },
    ...Object.entries(homes).map(([name, home]) => ({
      name: `home-of-${name.replace(/[^a-z0-9]/g, '-')}`,
      severity: 'error',
      from: { path: '^src/', pathNot: [`^src/${home}/`, testFiles] },
      to: { path: `node_modules/(@types/)?${name}/` },
    })),
    {
      name: 'no-test-in-source',
      severity: 'error',
      from: { path: '^src/', pathNot: testFiles },
      to: { path: '^(test|scripts|bench)/|\\.test\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
}
