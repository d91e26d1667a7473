import { makeMirror, serveMirror, someFiles } from '../../src/lab/mirror/index.ts'
import type { TestLab } from './with-lab.ts'

/** Files of a container runtime and what goes with it. */
export const runtimeFiles = ['containerd', 'runc', 'crictl', 'cni-plugins']

/** Serves the mirror inside a lab's closed network, making what is missing first; gives the address that KUBEXM_MIRROR takes. */
export async function withMirror<T>(lab: TestLab, files: readonly string[], use: (mirror: string) => Promise<T>): Promise<T> {
  const { failed } = await makeMirror({ only: someFiles(...files) })
  if (failed[0] !== undefined) throw failed[0].error
  await using served = await serveMirror({ images: [], address: '10.77.0.1', port: 8080, registryPort: 5000, namespace: lab.netns })
  return await use(served.files)
}
