import { fetchArtifacts } from '../components/artifact/files/index.ts'
import { containerd } from '../components/runtime/containerd/index.ts'
import { defineModule } from './define.ts'

/** Everything the hosts need, brought to this machine first. */
export const artifactsModule = defineModule({ name: 'artifacts', create: (task) => task(fetchArtifacts, {}) })

/** The container runtime on every node. */
export const runtimeModule = defineModule({ name: 'runtime', create: (task) => task(containerd) })
