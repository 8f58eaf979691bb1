import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnPostgres } from './own-postgres.ts';
import type { Service } from './service.ts';

/** How an operator keeps the database and puts an older state of it back. */
export interface Keeper {
  backUp(): Promise<void>;
  restore(): Promise<void>;
  /** Options of `restore-check`. */
  readonly checkOptions: readonly string[];
  /** What the backup takes on the disk. */
  bytes(): Promise<number>;
}

/** The embedded database, by the commands `backup` and `restore`. */
export function keepEmbedded(service: Service, dataDir: string): Keeper {
  const file = join(dataDir, 'backup');
  return {
    backUp: async () => requireDone(await service.command('backup', file)),
    restore: async () => requireDone(await service.command('restore', file, '--force')),
    checkOptions: [],
    bytes: async () => (await stat(file)).size,
  };
}

/** A PostgreSQL of the operator's own: a base backup from the beginning, and the write-ahead log since. */
export function keepPostgres(postgres: OwnPostgres): Keeper {
  const checkOptions: string[] = [];
  let pointInTime = '';
  return {
    checkOptions,
    async backUp() {
      pointInTime = await postgres.now();
      checkOptions.push('--from', new Date(pointInTime).toISOString());
    },
    restore: () => postgres.restore(pointInTime),
    bytes: () => postgres.keptBytes(),
  };
}

function requireDone({ code, output }: { code: number | null; output: string }): void {
  process.stdout.write(output);
  if (code !== 0) throw new Error('the command failed');
}
