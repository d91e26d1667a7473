/** A change to the schema. */
export interface Migration {
  readonly id: number
  readonly statements: readonly string[]
}

/** Changes to the schema, oldest first. A released one is never edited: what is wrong with it is mended by the next. Written in SQL that both databases know. */
export const migrations: readonly Migration[] = [
  {
    id: 1,
    statements: [
      `CREATE TABLE jobs (
        id text PRIMARY KEY,
        cluster text NOT NULL,
        pipeline text NOT NULL,
        cluster_config_yaml text NOT NULL,
        options text NOT NULL,
        status text NOT NULL CHECK (status IN ('Pending', 'Processing', 'Success', 'Failed', 'Cancelled')),
        current_step text,
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL,
        started_at bigint,
        finished_at bigint,
        requested_by text NOT NULL,
        changes integer NOT NULL,
        foreground integer NOT NULL DEFAULT 0,
        worker text,
        process text,
        home text,
        lease_until bigint,
        fence bigint NOT NULL DEFAULT 0,
        attempt integer NOT NULL DEFAULT 0,
        cancel_requested integer NOT NULL DEFAULT 0,
        error text,
        idempotency_key text UNIQUE,
        request_hash text
      )`,
      // The database itself sees to it that two jobs of one cluster never run side by side.
      `CREATE UNIQUE INDEX jobs_one_at_work ON jobs (cluster) WHERE status = 'Processing'`,
      // What a worker looks through: it stays small however many jobs have ended.
      `CREATE INDEX jobs_open ON jobs (created_at, id) WHERE status IN ('Pending', 'Processing')`,
      'CREATE INDEX jobs_of_cluster ON jobs (cluster, fence)',
      // Where the cluster was last worked on.
      'CREATE INDEX jobs_home ON jobs (cluster, fence) WHERE home IS NOT NULL',
      'CREATE INDEX jobs_newest ON jobs (created_at, id)',
      `CREATE TABLE job_events (
        job_id text NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
        seq bigint NOT NULL,
        at bigint NOT NULL,
        type text NOT NULL,
        event text NOT NULL,
        PRIMARY KEY (job_id, seq)
      )`,
      `CREATE TABLE job_graphs (
        job_id text PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
        graph text NOT NULL
      )`,
      `CREATE TABLE tokens (
        id text PRIMARY KEY,
        name text NOT NULL,
        role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
        hash text NOT NULL UNIQUE,
        created_at bigint NOT NULL,
        expires_at bigint,
        revoked_at bigint
      )`,
      `CREATE TABLE audit (
        id {serial},
        at bigint NOT NULL,
        who text NOT NULL,
        action text NOT NULL,
        target text NOT NULL,
        origin text NOT NULL,
        outcome text NOT NULL
      )`,
      'CREATE TABLE settings (name text PRIMARY KEY, value text NOT NULL)',
    ],
  },
  {
    id: 2,
    statements: [
      'DROP INDEX jobs_open',
      // The order in which workers take jobs, and whether an older one of the same cluster waits too. They stay small however many jobs have ended.
      `CREATE INDEX jobs_waiting ON jobs (created_at, id) WHERE status = 'Pending'`,
      `CREATE INDEX jobs_waiting_of_cluster ON jobs (cluster, created_at, id) WHERE status = 'Pending'`,
      // Whose worker has gone silent.
      `CREATE INDEX jobs_leases ON jobs (lease_until) WHERE status = 'Processing'`,
    ],
  },
]
