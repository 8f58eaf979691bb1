import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { ask } from '../../support/ask.ts';
import { asPostgres, giveToPostgres } from '../../support/as-postgres.ts';
import { documentedCode } from '../../support/documented-code.ts';

const BIN = '/usr/lib/postgresql/15/bin';
const documented = (language: string, comment: string) => documentedCode('backup.md', language, comment);
/** Small, so that a short run archives many files. */
const WAL_SEGMENT_MB = 1;

export const OWN_POSTGRES_NEEDS = { [`${BIN}/postgres`]: 'postgresql-15', '/usr/bin/psql': 'postgresql-client-15' };

/** A PostgreSQL with continuous archiving, set up, backed up and restored by the commands of `docs/backup.md`, as they stand there. */
export class OwnPostgres {
  readonly url: string;
  readonly #folder: string;
  readonly #port: number;

  /** Starts it, and takes the base backup. */
  static async start(): Promise<OwnPostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'quittance-own-postgres-'));
    chmodSync(folder, 0o755);
    giveToPostgres(folder);
    const postgres = new OwnPostgres(folder, await freePort());
    postgres.#create();
    postgres.#run(documented('sh', 'Once a day'));
    return postgres;
  }

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.url = `postgres://quittance@127.0.0.1:${port}/postgres`;
  }

  /** The time of the database, in its own form. */
  async now(): Promise<string> {
    const [row] = await ask<{ now: string }>(this.url, 'select clock_timestamp()::text as now');
    return row?.now as string;
  }

  /** To a point in time, or without one to the last transaction that is left. */
  async restore(pointInTime?: string): Promise<void> {
    rmSync(join(this.#folder, 'data.old'), { recursive: true, force: true });
    this.#run(documented('sh', 'Restore'));
    if (pointInTime) this.#run(documented('sh', 'Point in time').replace('2026-01-31 12:00:00+00', pointInTime));
    this.#run(documented('sh', 'Start'));
    this.#run(documented('sh', 'Clean up'));
  }

  /** As if its machine had lost power. */
  kill(): void {
    this.#run(`pg_ctl stop -D ${this.#folder}/data -m immediate`);
  }

  async keptBytes(): Promise<number> {
    const folders = ['backups', 'archive'].map((name) => join(this.#folder, name));
    return execFileSync('du', ['-sb', ...folders], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .reduce((sum, line) => sum + Number.parseInt(line, 10), 0);
  }

  async stop(): Promise<void> {
    try {
      if (existsSync(join(this.#folder, 'data', 'postmaster.pid'))) this.kill();
    } finally {
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }

  #create(): void {
    for (const name of ['archive', 'backups']) {
      mkdirSync(join(this.#folder, name));
      giveToPostgres(join(this.#folder, name));
    }
    this.#run(`initdb -D /data -U quittance -A trust -E UTF8 --locale=C.UTF-8 --wal-segsize=${WAL_SEGMENT_MB}`);
    const local = `port = ${this.#port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n`;
    appendFileSync(
      join(this.#folder, 'data', 'postgresql.conf'),
      local + this.#here(documented('ini', 'postgresql.conf')),
    );
    this.#run('pg_ctl start -D /data -w -l /data/start.log');
  }

  /** Runs shell commands as the user of the database, which finds it by the usual variables. */
  #run(commands: string): void {
    const env = {
      PATH: `${BIN}:${process.env.PATH}`,
      LANG: 'C.UTF-8',
      PGHOST: '127.0.0.1',
      PGPORT: String(this.#port),
      PGUSER: 'quittance',
      PGDATABASE: 'postgres',
    };
    // The log of the database would keep an open pipe.
    execFileSync('sh', ['-euc', this.#here(commands)], {
      cwd: this.#folder,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
      ...asPostgres(),
    });
  }

  /** The commands with this run's directories. */
  #here(commands: string): string {
    return commands.replaceAll(/(?<![\w.}])\/(data|archive|backups)\b/g, `${this.#folder}/$1`);
  }
}
