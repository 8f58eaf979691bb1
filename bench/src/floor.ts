import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { endWithBench } from './ends.ts';
import { forked, stop, stoppedWithBench } from './processes.ts';

export interface Floor {
  url: string;
  sql: string;
  clients: number;
  seconds: number;
}

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
  const { hostname, port, username, password, pathname } = new URL(url);
  const load = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '2', '-T', String(seconds), '-f', '-'];
  const server = ['-h', hostname, '-p', port || '5432', '-U', decodeURIComponent(username), pathname.slice(1)];
  const child = stoppedWithBench(
    spawn(pgbench, [...load, ...server], {
      env: { ...process.env, PGPASSWORD: decodeURIComponent(password) },
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  );
  child.stdin.end(`${sql}\n`);
  const [printed, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const rate = /^tps = ([\d.]+)/m.exec(printed)?.[1];
  if (rate === undefined) throw new Error(`pgbench returned no rate:\n${printed}${complaints}`);
  return { perSecond: Number(rate), by: `pgbench, ${clients} clients` };
}

async function byLoop(floor: Floor): Promise<{ perSecond: number; by: string }> {
  const child = forked('./floor.ts', { BENCH_FLOOR: JSON.stringify(floor) });
  const [rate] = (await once(child, 'message')) as [number];
  await stop(child);
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
  endWithBench();
  const { url, sql, clients, seconds } = JSON.parse(process.env.BENCH_FLOOR) as Floor;
  const [, name, least, most] = /^\\set (\w+) random\((\d+), (\d+)\)$/m.exec(sql) ?? [];
  const statement = sql
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
      for (; performance.now() < endMs; count += 1)
        await client.query({ name: 'floor', text: statement, values: values() });
      await client.end();
    }),
  );
  process.send(count / seconds);
}
