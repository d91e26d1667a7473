// What is tried on one host all the time because it takes so long, tried here on several at once.
import { containerd } from '../../src/components/runtime/containerd/index.ts'
import { conforms } from '../conformance/conforms.ts'
import { smallCluster } from '../support/clusters.ts'

conforms(containerd, {
  ...smallCluster(`kubernetes:
  version: v1.34.4
  containerRuntime:
    containerd: {registryMirrors: mirror.example.com, insecureRegistries: registry.local:5000}
registry:
  auths:
    hub.example.com: {username: robot, password: do-not-show-me}`),
  secrets: ['do-not-show-me'],
})
