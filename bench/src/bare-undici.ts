import { Pool } from 'undici';
import { endWithBench } from './ends.ts';

export interface BareSending {
  port: number;
  connections: number;
  seconds: number;
  body: string;
}

const WARM_UP_MS = 500;

// Sends as fast as undici can, and records nothing.
endWithBench();
const { port, connections, seconds, body } = JSON.parse(process.env.SENDING ?? '') as BareSending;
const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 });
const bytes = Buffer.from(body);
const countFromMs = performance.now() + WARM_UP_MS;
const endMs = countFromMs + seconds * 1_000;
let sent = 0;

await Promise.all(
  Array.from({ length: connections }, async () => {
    for (;;) {
      const answer = await pool.request({
        method: 'POST',
        path: '/bare',
        headers: { 'content-type': 'application/json' },
        body: bytes,
      });
      await answer.body.dump();
      const nowMs = performance.now();
      if (nowMs > endMs) return;
      if (nowMs > countFromMs) sent += 1;
    }
  }),
);
process.send?.({ perSecond: sent / seconds });
await pool.destroy();
