// What is tried on one host all the time because it takes so long, tried here on several at once.
import { containerd } from '../../src/components/runtime/containerd/index.ts'
import { conforms } from '../conformance/conforms.ts'
import { smallCluster, withRegistries } from '../support/clusters.ts'

conforms(containerd, { ...smallCluster(withRegistries.spec), secrets: withRegistries.secrets })
