import { readFileSync } from 'node:fs'
import { parseCluster, renderProblem, serializeCluster } from './src/config/index.ts'
const t = readFileSync(process.argv[2]!, 'utf8')
const s=performance.now()
let r = parseCluster(t, process.argv[2]!)
console.log('ms', performance.now()-s)
console.log(r.errors.map(e=>renderProblem(e)).join('\n'))
console.log('--- warnings'); console.log(r.warnings.map(e=>renderProblem(e)).join('\n'))
if (r.cluster && process.argv[3]) console.log(serializeCluster(r.cluster))
