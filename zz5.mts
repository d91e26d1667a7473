import { readFileSync } from 'node:fs'
import { convertConfig } from './src/config/convert.ts'
import { explain } from './src/config/explain.ts'
import { jsonSchema } from './src/config/json-schema.ts'
import { renderProblem } from './src/config/index.ts'
import { allFields } from './src/config/fields.ts'
const c = convertConfig(readFileSync('/tmp/kk.yaml','utf8'),'kk.yaml')
console.log(c.text, c.secrets, c.result.errors.map(e=>renderProblem(e)), c.result.warnings.map(e=>e.problem))
for (const p of ['spec.etcd.type','spec.hosts','spec.hosts.password','spec.registry.auths','spec.kubernetes.kubeletArgs','spec.addons.chart']) console.log(explain(p))
try { explain('spec.etcd.tpye') } catch (e) { console.log(e.message) }
console.log(JSON.stringify(jsonSchema()).length, allFields().length, allFields().filter(f=>!f.isGroup&&(f.about===''||f.example===undefined)).map(f=>f.path+' '+f.type))
