export { bootstrapRbac, controlPlane, kubelets, kubeProxies } from './tasks.ts'
