import { expect, test } from 'vitest'
import { smallCpuinfo, smallMeminfo } from './small-host.ts'

test('a small host shows the memory it has', () => {
  const meminfo =
    'MemTotal:       24684100 kB\nMemFree:        22657000 kB\nMemAvailable:   23563000 kB\nSwapTotal:             0 kB\nHugePages_Total:       0\n'
  expect(smallMeminfo(meminfo, 512)).toBe(
    'MemTotal:         524288 kB\nMemFree:          314572 kB\nMemAvailable:     419430 kB\nSwapTotal:             0 kB\nHugePages_Total:       0\n',
  )
})

test('a small host shows the processors it has', () => {
  const cpuinfo = 'processor\t: 0\nmodel name\t: x\n\nprocessor\t: 1\nmodel name\t: x\n\n'
  expect(smallCpuinfo(cpuinfo, 1)).toBe('processor\t: 0\nmodel name\t: x\n\n')
  expect(smallCpuinfo(cpuinfo, 2)).toBe(cpuinfo)
  expect(smallCpuinfo(cpuinfo, 9)).toBe(cpuinfo)
})
