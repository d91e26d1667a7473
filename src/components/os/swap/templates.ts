/** Whether a line of /etc/fstab turns swap on. */
export const isSwap = (line: string): boolean => {
  const [source = '', , type] = line.trim().split(/\s+/)
  return type === 'swap' && !source.startsWith('#')
}
