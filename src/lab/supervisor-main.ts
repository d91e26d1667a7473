import { superviseLab } from './supervisor.ts'

// The program of a lab's supervisor: started by `lab up`, with the name of the lab as its argument.
await superviseLab(process.argv[2] ?? '')
