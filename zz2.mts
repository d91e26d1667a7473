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
for (let i=0;i<4;i++){ const s=performance.now(); const r=parseCluster(t,'x.yaml'); console.log((performance.now()-s).toFixed(), r.errors.length, r.errors[0]?.problem, r.warnings.map(w=>w.problem)) }

