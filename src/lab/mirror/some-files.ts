/** Says yes to the mirror's files of these names, and to the servers that serve them: for a mirror that holds only a part. */
export const someFiles =
  (...names: readonly string[]) =>
  (item: string): boolean =>
    /^(registry|file-server)@/.test(item) || names.some((name) => item.startsWith(`file/${name}@`))
