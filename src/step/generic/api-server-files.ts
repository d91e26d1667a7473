import { dirname } from 'node:path'
import { defaultAuditPolicy, encryptionConfigPath, encryptionConfiguration } from '../../manifest/index.ts'
import type { StepContext } from '../../runtime/index.ts'
import { Secret } from '../../util/secret.ts'
import { toYaml } from '../../util/yaml.ts'
import type { Op } from '../op.ts'
import { makeDirectory, writeFile } from './file.ts'

/** What the API server of a master reads besides certificates, and where it writes, whichever way it is installed. */
export async function apiServerFiles(ctx: StepContext): Promise<{ readonly logs: readonly Op[]; readonly files: readonly Op[] }> {
  const { audit, encryption } = ctx.cluster.spec.kubernetes.apiServer
  const encryptionText = async (): Promise<Secret> =>
    new Secret(toYaml(encryptionConfiguration(encryption, (await ctx.pki.encryptionKey()).reveal())))
  return {
    logs: audit.enabled ? [makeDirectory({ path: dirname(audit.logPath), mode: '0700', contents: 'ours' })] : [],
    files: [
      ...(audit.enabled ? [writeFile({ path: audit.policyFile, content: audit.policyFileContent || toYaml(defaultAuditPolicy) })] : []),
      ...(encryption.enabled ? [writeFile({ path: encryptionConfigPath, content: await encryptionText(), mode: '0600' })] : []),
    ],
  }
}
