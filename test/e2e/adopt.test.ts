import { expect, test } from 'vitest'
import { setInConfig } from '../support/config-file.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'
import { diffSnapshots, snapshotHost } from '../support/host-snapshot.ts'
import { kubexmIn } from '../support/kubexm.ts'
import { describeLab, withLab } from '../support/with-lab.ts'
import { runtimeFiles, withMirror } from '../support/with-mirror.ts'

const create = ['create', 'cluster', '--until', 'runtime'] as const

/** The distribution's own containerd, as its package leaves it: cgroups are not left to systemd. */
const install = 'apt-get -qq install -y containerd >/dev/null 2>&1; systemctl -q is-active containerd'
const leaveCgroupsToSystemd = `mkdir -p /etc/containerd
printf 'version = 2\\n[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]\\nruntime_type = "io.containerd.runc.v2"\\n[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]\\nSystemdCgroup = true\\n' > /etc/containerd/config.toml
systemctl restart containerd`

describeLab('a containerd that is on a host already', () => {
  test('is refused, adopted where the config says so and it fits, and never changed', () =>
    withLab({ hosts: 2 }, (lab) =>
      withMirror(lab, runtimeFiles, (mirror) =>
        inTemporaryDirectory(async (directory) => {
          const kubexm = await kubexmIn(lab, directory, mirror)
          await lab.onHost('node2', install)
          expect(await kubexm(...create)).toMatchObject({ code: 12, stdout: expect.stringMatching(/KX_FOREIGN_RUNTIME +node2/) })
          // Nor does it help to leave preflight out.
          await setInConfig(kubexm.config, { 'global.skipPreflight': true })
          expect(await kubexm(...create, '--max-failed', '1')).toMatchObject({
            code: 12,
            stdout: expect.stringMatching(/✗ KX_FOREIGN_RUNTIME +node2: [\s\S]*given up +node2/),
          })

          await setInConfig(kubexm.config, {
            'global.skipPreflight': false,
            'kubernetes.containerRuntime.containerd': { existing: 'adopt' },
          })
          const unfit = await kubexm(...create)
          expect(unfit).toMatchObject({ code: 12, stdout: expect.stringMatching(/KX_RUNTIME_CGROUP +node2: .* cgroupfs/) })
          expect((await kubexm('delete', 'cluster', '--yes', '--purge-data')).code).toBe(0)

          await lab.onHost('node2', leaveCgroupsToSystemd)
          const before = await snapshotHost(lab, 'node2')
          const created = await kubexm(...create)
          expect(created.stderr + created.stdout).toMatch(/KX_RUNTIME_ADOPTED +node2[\s\S]*create-cluster succeeded/)
          expect(await lab.onHost('node2', 'crictl version')).toMatch(/RuntimeVersion: +1\.6\./)
          expect(await lab.onHost('node1', 'crictl version')).toMatch(/RuntimeVersion: +v2\./)
          expect(await lab.onHost('node2', 'ls /usr/local/bin')).not.toMatch(/^(containerd|runc)$/m)
          expect((await kubexm(...create)).stdout).toContain('nothing to change')
          expect((await kubexm('delete', 'cluster', '--yes', '--purge-data')).code).toBe(0)
          expect(diffSnapshots(before, await snapshotHost(lab, 'node2'))).toEqual([])
        }),
      ),
    ))
})
