import {
  artifactsModule,
  balancerModule,
  certificatesModule,
  controlPlaneModule,
  dnsModule,
  etcdModule,
  finishModule,
  groundworkModule,
  imagesModule,
  membershipModule,
  networkModule,
  nodeModule,
  nodesModule,
  preflightModule,
  readinessModule,
  registryModule,
  runtimeModule,
} from '../module/index.ts'
import { par, seq } from '../plan/index.ts'
import { definePipeline } from './define.ts'

export const createCluster = definePipeline({
  name: 'create-cluster',
  plan: (module) =>
    seq(
      module(preflightModule, 'create'),
      // Getting artifacts fills the line of this machine, preparing hosts fills theirs.
      par(module(nodeModule, 'create'), module(artifactsModule, 'create'), module(certificatesModule, 'create')),
      par(
        seq(
          par(module(runtimeModule, 'create'), module(registryModule, 'create')),
          // What is put on the nodes goes while their container runtime is still there to end what runs in it.
          par(module(imagesModule, 'create'), module(groundworkModule, 'create')),
        ),
        module(etcdModule, 'create'),
        module(balancerModule, 'create'),
      ),
      module(controlPlaneModule, 'create'),
      par(
        // A kubelet that gets pods before it has read the services once comes back to them ten seconds later: nodes first, then their network.
        seq(module(nodesModule, 'create'), module(networkModule, 'create')),
        module(dnsModule, 'create'),
        module(membershipModule, 'create'),
      ),
      module(readinessModule, 'create'),
      module(finishModule, 'create'),
    ),
})
