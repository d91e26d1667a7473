import { execFile, execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A key and a certificate for 127.0.0.1, signed by itself. */
export function selfSigned(directory: string): { readonly certificate: string; readonly key: string } {
  const [certificate, key] = [join(directory, 'tls.crt'), join(directory, 'tls.key')]
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '1',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-keyout',
      key,
      '-out',
      certificate,
    ],
    { stdio: 'ignore' },
  )
  return { certificate, key }
}

/** Runs openssl; null where it is not installed. */
export async function openssl(...args: readonly string[]): Promise<string | null> {
  try {
    const { stdout, stderr } = await run('openssl', args)
    return stdout + stderr
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** What the strictest verification openssl has says of a certificate: `ok`, or why not; null where openssl is not installed. */
export async function verifyStrictly(
  directory: string,
  cert: string,
  authority: string,
  purpose: 'sslserver' | 'sslclient',
  checks: readonly string[] = [],
): Promise<string | null> {
  const [leaf, ca] = [join(directory, 'leaf.crt'), join(directory, 'ca.crt')]
  await Promise.all([writeFile(leaf, cert), writeFile(ca, authority)])
  try {
    const said = await openssl('verify', '-x509_strict', '-purpose', purpose, ...checks, '-CAfile', ca, leaf)
    return said === null ? null : said.includes(`${leaf}: OK`) ? 'ok' : said
  } catch (error) {
    return (error as { readonly stderr: string }).stderr
  }
}
