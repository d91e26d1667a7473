/** Whether a line of /etc/selinux/config makes the next boot enforce. */
export const enforces = (line: string): boolean => /^\s*SELINUX\s*=\s*enforcing\b/.test(line)

/** What stands in its place; null where nothing enforces. */
export const permissive = (config: string): string | null => (config.split('\n').some(enforces) ? 'SELINUX=permissive' : null)
