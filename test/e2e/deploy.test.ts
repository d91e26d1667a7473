// The systemd units on a real host, installed and started word for word as docs/deploy.md says, with PostgreSQL.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { buildBinary } from '../../scripts/build-binary.ts'
import { buildWeb } from '../../scripts/build-web.ts'
import { root } from '../../scripts/run.ts'
import { execCommand } from '../../src/lab/index.ts'
import { portableConfig } from '../support/api.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'
import { postgresFiles } from '../support/postgres.ts'
import { describeLab, type TestLab, withLab } from '../support/with-lab.ts'

const host = 'node1'
const from = '/root/install'

/** Puts a directory of this machine onto the host. */
async function send(lab: TestLab, directory: string, to: string): Promise<void> {
  await lab.onHost(host, `mkdir -p ${to}`)
  const [program = '', ...args] = await execCommand(lab.name, host, ['tar', '-x', '-C', to])
  const pack = spawn('tar', ['-c', '-C', directory, '.'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const unpack = spawn(program, args, { stdio: ['pipe', 'inherit', 'inherit'] })
  const done = once(unpack, 'close')
  await pipeline(pack.stdout, unpack.stdin)
  expect(await done).toEqual([0, null])
}

/** The shell commands of a part of the document, one text a block. */
async function documented(part: string): Promise<readonly string[]> {
  const text = (await readFile(join(root, 'docs/deploy.md'), 'utf8')).split(/^## /m).find((one) => one.startsWith(part)) ?? ''
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = '']) => commands)
}

/** A PostgreSQL of the host, asked for by password as a real one would be. */
const startPostgres = (lab: TestLab): Promise<string> =>
  lab.onHost(
    host,
    `bin=$(dirname /opt/postgres/usr/lib/postgresql/*/bin/postgres)
    export LD_LIBRARY_PATH=$(echo /opt/postgres/usr/lib/*-linux-gnu /opt/postgres/lib/*-linux-gnu | tr ' ' ':')
    chmod 0755 /opt/postgres
    install -d -m 0700 -o nobody -g nogroup /var/lib/postgres
    echo s3cret > /tmp/password
    setpriv --reuid=65534 --regid=65534 --clear-groups "$bin/initdb" -D /var/lib/postgres/data -U kubexm --auth=scram-sha-256 --pwfile=/tmp/password >/dev/null
    systemd-run --unit=postgres --uid=65534 --gid=65534 --setenv=LD_LIBRARY_PATH="$LD_LIBRARY_PATH" -- \\
      "$bin/postgres" -D /var/lib/postgres/data -c listen_addresses=127.0.0.1 -c unix_socket_directories=/var/lib/postgres
    until bash -c 'echo > /dev/tcp/127.0.0.1/5432' 2>/dev/null; do sleep 0.2; done`,
  )

describeLab('the systemd units', () => {
  test('run API server, console and worker as documented, and stop in order', () =>
    withLab({ hosts: 1 }, (lab) =>
      inTemporaryDirectory(async (directory) => {
        await buildWeb(join(directory, 'console'))
        await buildBinary(directory, join(directory, 'console'))
        await cp(join(root, 'deploy/systemd'), join(directory, 'systemd'), { recursive: true })
        const on = (script: string): Promise<string> => lab.onHost(host, script)
        await send(lab, directory, from)
        await send(lab, await postgresFiles(), '/opt/postgres')
        await startPostgres(lab)
        await on(`cd ${from}; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -keyout tls.key -out tls.crt \\
          -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 2>/dev/null`)

        const [install = '', begin = ''] = await documented('systemd')
        await on(`cd ${from}\n${install}`)
        expect(await on('systemd-analyze verify /etc/systemd/system/kubexm-*.service 2>&1')).toBe('')
        await on(
          `sed -i 's|^KUBEXM_DATABASE_URL=.*|KUBEXM_DATABASE_URL=postgres://kubexm:s3cret@127.0.0.1:5432/postgres|' /etc/kubexm/environment`,
        )

        // Without a token nobody is let in: it does not even start, and is not tried again and again.
        await on('systemctl start kubexm-api-server; until systemctl is-failed -q kubexm-api-server; do sleep 0.2; done')
        expect(await on('journalctl -u kubexm-api-server -o cat')).toContain('KX_PUBLIC_ADDRESS')
        const token = /^kxt_\S+$/m.exec(await on(begin))?.[0] ?? ''
        expect(token).not.toBe('')

        const curl = (...args: readonly string[]): Promise<string> =>
          on(`curl -sS --cacert ${from}/tls.crt -H 'Authorization: Bearer ${token}' ${args.join(' ')}`)
        const api = 'https://127.0.0.1:8420'
        await on(`until curl -sSf --cacert ${from}/tls.crt ${api}/readyz; do sleep 0.2; done 2>/dev/null`)
        expect(await curl(`${api}/`)).toContain('<title>kubexm</title>')
        expect(await on('ss -Hltn sport = :8420')).toContain('0.0.0.0:8420')

        await on(`cat > ${from}/cluster.yaml <<'END'\n${portableConfig()}END\n`)
        const submit = async (query: string): Promise<string> => {
          const answer = await curl(
            `-X POST --data-binary @${from}/cluster.yaml -H 'Content-Type: application/yaml' -w '%{http_code}'`,
            `'${api}/api/v1/clusters?${query}'`,
          )
          expect(answer).toMatch(/202$/)
          return (JSON.parse(answer.slice(0, -3)) as { job_id: string }).job_id
        }
        const jobIs = (id: string, wanted: string): Promise<string> =>
          on(
            `until curl -sS --cacert ${from}/tls.crt -H 'Authorization: Bearer ${token}' ${api}/api/v1/jobs/${id} | grep -E '${wanted}'; do sleep 0.2; done`,
          )

        await jobIs(await submit('rehearse=true'), '"status":"Success"')

        // In the middle of a job: it is handed back, and goes on when there is a worker again.
        const slow = await submit('rehearse=true&real_time=true')
        await jobIs(slow, '"status":"Processing","current_step":"')
        await on('systemctl stop kubexm-worker')
        const left = 'Result=success\nExecMainStatus=0\n'
        expect(await on('systemctl show kubexm-worker -p Result -p ExecMainStatus')).toBe(left)
        expect(JSON.parse(await jobIs(slow, '"status"'))).toMatchObject({ status: 'Pending', worker: null, attempt: 1 })
        await on('systemctl start kubexm-worker')
        await jobIs(slow, '"status":"Processing".*"attempt":2')
        await curl(`-X POST ${api}/api/v1/jobs/${slow}/cancel`)
        await jobIs(slow, '"status":"Cancelled"')

        await on('systemctl stop kubexm-api-server kubexm-worker')
        for (const unit of ['kubexm-api-server', 'kubexm-worker']) {
          expect(await on(`systemctl show ${unit} -p Result -p ExecMainStatus`)).toBe(left)
          expect(await on(`journalctl -u ${unit} -o cat`)).not.toMatch(/hunter2secret|s3cret|kxt_/)
        }
        // Everything they made is theirs alone.
        expect(await on('find /var/lib/kubexm /etc/kubexm -perm /o=rwx ! -type l')).toBe('')
        expect(await on('stat -c "%U %a" /var/lib/kubexm')).toBe('kubexm 700\n')
      }),
    ))
})
