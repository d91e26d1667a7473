import { ProgramTable } from '../program.ts'
import { registerEtcdctl } from './etcdctl.ts'
import { registerFilePrograms } from './files.ts'
import { registerHostPrograms } from './host.ts'
import { registerImagePrograms } from './images.ts'
import { registerKubeadm } from './kubeadm.ts'
import { registerKubectl } from './kubectl.ts'
import { registerNetworkPrograms } from './network.ts'
import { registerSystemctl } from './systemctl.ts'
import { registerTextPrograms } from './text.ts'
import { registerTraces } from './traces.ts'

/** The programs every simulated host can run. */
export const standardPrograms = new ProgramTable()
const base = [registerFilePrograms, registerTextPrograms, registerHostPrograms, registerNetworkPrograms, registerSystemctl]
const cluster = [registerImagePrograms, registerEtcdctl, registerKubectl, registerKubeadm, registerTraces]
for (const register of [...base, ...cluster]) register(standardPrograms)
