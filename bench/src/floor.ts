import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

export interface Floor {
  url: string;
  sql: string;
  clients: number;
  seconds: number;
}

const run = promisify(execFile);

/**
 * How often per second the database alone runs a statement: by pgbench if installed, otherwise by a loop over
 * connections.
 */
export async function floorOf(floor: Floor): Promise<{ perSecond: number; by: string }> {
  const pgbench = findPgbench();
  return pgbench ? byPgbench(pgbench, floor) : byLoop(floor);
}

async function byPgbench(
  pgbench: string,
  { url, sql, clients, seconds }: Floor,
): Promise<{ perSecond: number; by: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'quittance-floor-'));
  try {
    const script = join(directory, 'floor.sql');
    await writeFile(script, `${sql}\n`);
    const { hostname, port, username, password, pathname } = new URL(url);
    const { stdout } = await run(
      pgbench,
      [
        '-n',
        '-M',
        'prepared',
        '-c',
        String(clients),
        '-j',
        '2',
        '-T',
        String(seconds),
        '-f',
        script,
        '-h',
        hostname,
        '-p',
        port || '5432',
        '-U',
        decodeURIComponent(username),
        pathname.slice(1),
      ],
      { env: { ...process.env, PGPASSWORD: decodeURIComponent(password) } },
    );
    const rate = /^tps = ([\d.]+)/m.exec(stdout)?.[1];
    if (rate === undefined) throw new Error(`pgbench returned no rate:\n${stdout}`);
    return { perSecond: Number(rate), by: `pgbench, ${clients} clients` };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function byLoop(floor: Floor): Promise<{ perSecond: number; by: string }> {
  const child = fork(new URL(import.meta.url), { env: { ...process.env, BENCH_FLOOR: JSON.stringify(floor) } });
  const [rate] = (await once(child, 'message')) as [number];
  return { perSecond: rate, by: `a loop over ${floor.clients} connections (there is no pgbench here)` };
}

function findPgbench(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian)
    ? readdirSync(debian)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(debian, version, 'bin'))
    : [];
  return [...(process.env.PATH ?? '').split(delimiter), ...versions]
    .map((directory) => join(directory, 'pgbench'))
    .find((file) => existsSync(file));
}

// As a separate process that replaces pgbench; of its language it supports `\set name random(min, max)`.
if (process.env.BENCH_FLOOR && process.send) {
  const { url, sql, clients, seconds } = JSON.parse(process.env.BENCH_FLOOR) as Floor;
  const [, name, least, most] = /^\\set (\w+) random\((\d+), (\d+)\)$/m.exec(sql) ?? [];
  const text = sql
    .replaceAll(/^\\set .*$/gm, '')
    .trim()
    .replaceAll(`:${name}::`, '$1::');
  const values = () =>
    name === undefined ? [] : [Number(least) + Math.floor(Math.random() * (Number(most) - Number(least) + 1))];
  const endMs = performance.now() + seconds * 1_000;
  let count = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      for (; performance.now() < endMs; count += 1) await client.query({ name: 'floor', text, values: values() });
      await client.end();
    }),
  );
  process.send(count / seconds);
  process.disconnect();
}
