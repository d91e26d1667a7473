export { initControlPlane, installKubeadm, joinControlPlanes, joinWorkers } from './tasks.ts'
