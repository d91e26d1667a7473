import { hostLayout } from '../../../config/index.ts'

/** Completion for bash, made by the kubectl that is there: it fits the version whatever that is. */
export const kubectlCompletion = `# Loaded by bash-completion when kubectl is first completed.\n. <(${hostLayout.programs}/kubectl completion bash)\n`
