/** The machine's /proc/meminfo as a machine with that much memory would show it. The limit itself is the host's cgroup. */
export function smallMeminfo(meminfo: string, memoryMiB: number): string {
  const shares: Readonly<Record<string, number>> = { MemTotal: 1, MemFree: 0.6, MemAvailable: 0.8, Buffers: 0.02, Cached: 0.2 }
  const total = memoryMiB * 1024
  return meminfo
    .split('\n')
    .map((line) => {
      const name = line.split(':')[0] ?? ''
      const share = shares[name]
      return share === undefined ? line : `${`${name}:`.padEnd(16)}${String(Math.floor(total * share)).padStart(8)} kB`
    })
    .join('\n')
}

/** The machine's /proc/cpuinfo with only the first processors of it. */
export function smallCpuinfo(cpuinfo: string, cpus: number): string {
  const processors = cpuinfo.trimEnd().split(/\n\n+/)
  return `${processors.slice(0, cpus).join('\n\n')}\n\n`
}
