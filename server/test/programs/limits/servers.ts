import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { endpoint } from '@quittance/contract';
import { Type } from '@sinclair/typebox';
import type { Logger } from 'pino';
import { createLines } from '../../../src/lines.ts';
import { openDatabase } from '../../../src/platform/db/pool.ts';
import { createLimiter, type Limiter } from '../../../src/platform/http/admission/rate-limit.ts';
import { route } from '../../../src/platform/http/route.ts';
import { Pace } from '../../../src/platform/http/admission/pace.ts';
import { createServer } from '../../../src/platform/http/server/server.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';

/** Requests per second of one account. */
export const LIMIT = 100;
const ANYONE = {
  livemode: true,
  via: 'key' as const,
  keyId: null,
  scopes: null,
  loginMethod: 'email' as const,
  defaults: {},
  now: new Date(),
  realNow: new Date(),
};

export interface Instance {
  url: string;
  limiter: Limiter;
  stop: () => Promise<void>;
}

/** A normal server with its own limiter and Redis connection. Any key is an account. */
export async function startInstance(redisUrl: string, log: Logger): Promise<Instance> {
  const limiter = createLimiter({ requestsPerSecond: LIMIT, redisUrl, log });
  const database = openDatabase({ url: 'postgres://unused', log });
  const read = endpoint({
    operationId: 'read',
    method: 'GET',
    path: '/v1/read',
    summary: '',
    tag: '',
    auth: 'credential',
    invalid: 'invalid_request',
    success: { status: 200, data: Type.Object({ ok: Type.Boolean() }), envelope: 'object', description: '' },
  });
  const server = createServer<object>({
    ctx: {},
    routes: [route(read, async () => ({ ok: true }))],
    limiter,
    pace: new Pace(),
    writes: createLines().writes,
    log,
    database,
    secrets: createSecrets(Buffer.alloc(32)),
    credentials: {
      findByKeyHash: async (hash) => ({ ...ANYONE, id: hash.toString('hex') }),
      findByTokenHash: async () => undefined,
    },
    trustedProxies: [],
    profile: 'development',
    publicUrl: 'http://localhost:3000',
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  while (limiter.isDegraded()) await pause(10);
  return {
    url: `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/v1/read`,
    limiter,
    async stop() {
      await server.close();
      await limiter.close();
      await database.close();
    },
  };
}

export async function ask({ url }: Instance, key: string): Promise<{ status: number; atMs: number; tookMs: number }> {
  const startedMs = performance.now();
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  const atMs = performance.now();
  return { status: response.status, atMs, tookMs: atMs - startedMs };
}

/** A Redis that stores nothing on the disk. It ends with this process. */
export async function startRedis(program: string, port: number, more: string[] = []): Promise<ChildProcess> {
  const child = spawn(
    program,
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...more],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept connections')) break;
  return child;
}

export function findRedis(): string | undefined {
  return [process.env.REDIS_SERVER, 'redis-server', 'valkey-server'].find(
    (name) => name && spawnSync(name, ['--version']).status === 0,
  );
}
