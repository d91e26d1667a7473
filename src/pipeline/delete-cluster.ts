import {
  balancerModule,
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
  ownershipModule,
  registryModule,
  runtimeModule,
} from '../module/index.ts'
import { par, seq } from '../plan/index.ts'
import { definePipeline } from './define.ts'

export const deleteCluster = definePipeline({
  name: 'delete-cluster',
  plan: (module) =>
    seq(
      module(finishModule, 'delete'),
      module(nodesModule, 'delete'),
      module(controlPlaneModule, 'delete'),
      // Objects in the cluster go with its store: what is left of network and names are files.
      par(module(networkModule, 'delete'), module(dnsModule, 'delete')),
      par(
        seq(
          par(module(imagesModule, 'delete'), module(groundworkModule, 'delete')),
          par(module(runtimeModule, 'delete'), module(registryModule, 'delete')),
        ),
        module(etcdModule, 'delete'),
        module(balancerModule, 'delete'),
      ),
      par(module(nodeModule, 'delete'), module(membershipModule, 'delete')),
      module(ownershipModule, 'create'),
    ),
})
