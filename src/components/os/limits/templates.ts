/** Limits of logins and cron jobs. Services do not see them: their units say their own. Not above fs.nr_open, or nobody could log in. */
export const limitsFile = (): string =>
  ['*', 'root']
    .flatMap((who) => [
      ...['soft', 'hard'].map((kind) => `${who} ${kind} nofile 655360`),
      ...['soft', 'hard'].map((kind) => `${who} ${kind} nproc 655360`),
      ...['soft', 'hard'].map((kind) => `${who} ${kind} memlock unlimited`),
    ])
    .map((line) => `${line}\n`)
    .join('')
