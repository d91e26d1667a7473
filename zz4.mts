import { Parser, Composer } from 'yaml'
import { Source } from './src/config/source.ts'
import { Problems } from './src/config/problem.ts'
import { readTree } from './src/config/tree.ts'
import { clusterSchema } from './src/config/schema/cluster.ts'
import { canonicalSchema } from './src/config/schema-index.ts'
import { parseCluster } from './src/config/index.ts'
const hosts = Array.from({length:1000},(_, i)=>`  - {name: node${i}, address: 10.1.${i>>8}.${i&255}, internalAddress: "10.1.${i>>8}.${i&255},2022::${(i+1).toString(16)}", port: 22, user: ubuntu, password: "Qcloud@123", labels: {disk: SSD, role: backend}}`).join('\n')
const t = `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: big}
spec:
  hosts:
${hosts}
  roleGroups:
    master: ["node[0:2]"]
    worker: ["node[3:999]"]
  controlPlaneEndpoint: {internalLoadbalancer: haproxy}
  network: {kubePodsCIDR: 10.96.0.0/13, kubeServiceCIDR: 10.233.0.0/18}
`
const T=(n,f)=>{const s=process.cpuUsage();const w=performance.now();const r=f();const c=process.cpuUsage(s);console.log(n,"cpu",((c.user+c.system)/1000).toFixed(), "wall", (performance.now()-w).toFixed());return r}
T('all',()=>parseCluster(t,'x'))
T('all',()=>parseCluster(t,'x'))
