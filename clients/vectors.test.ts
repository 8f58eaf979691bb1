import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readVectors } from '../scripts/vectors.ts';
import { generateTestHeader } from '../sdk/src/webhooks.ts';
import { CLIENTS, isInstalled, skippedNote } from './interpreters.ts';

// Each client runs all cases in one process, against a server that plays the answers of the vectors.
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const bodies = readVectors('bodies');
const errors = readVectors('errors');
const pagination = readVectors('pagination');
const webhooks = readVectors('webhooks');
const money = readVectors('money');
const { cases: receipts } = readVectors('receipts');

let server: Server;
let sent: Record<string, string> = {};
let asked: { place: string; key: string | undefined; query: Record<string, string> }[] = [];
beforeAll(async () => {
  server = createServer(play).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe.each(CLIENTS)('the client in $name', ({ program, folder }) => {
  test.skipIf(!isInstalled(program))(`passes every vector${skippedNote(program)}`, async () => {
    asked = [];
    sent = {};
    const { port } = server.address() as AddressInfo;
    const runner = program === 'php' ? `${folder}/tests/vectors.php` : `${folder}/tests/vectors.py`;
    const { stdout } = await promisify(execFile)(program, [runner, `http://127.0.0.1:${port}`], { cwd: ROOT });
    const results = JSON.parse(stdout);

    expect(named(webhooks, results.webhooks)).toEqual(
      named(
        webhooks,
        webhooks.map(({ expect: one }) => ('event' in one ? one : { status: one.status })),
      ),
    );
    // The standard library of Python has no Ed25519.
    if (program === 'php')
      expect(named(receipts, results.receipts)).toEqual(
        named(
          receipts,
          receipts.map(({ expect: one }) => ('payment' in one ? one : { refused: true })),
        ),
      );
    expect(named(errors, results.errors)).toEqual(
      named(
        errors,
        errors.map((one) => one.expect),
      ),
    );
    expect(named(pagination, results.pagination)).toEqual(
      named(
        pagination,
        pagination.map((one) => one.expect),
      ),
    );
    expect(results.money).toEqual({
      accepted: money.accepted.map(({ minor }) => minor),
      refused: money.refused.map(() => true),
      written: money.written.map(({ text }) => text),
    });
    expect(results.idempotency).toEqual(readVectors('idempotency').map(({ keyed }) => keyed));
    // What would end a header, or the name of the host, is refused before anything is sent.
    expect(results.unsendable).toEqual([true, true, true, true]);
    expect(asked.filter(({ place }) => place.startsWith('unsendable'))).toEqual([]);
    expect(bodies.map((_, at) => JSON.parse(sent[`bodies/${at}`] ?? 'null'))).toEqual(bodies);
    expect(results.signed).toBe(await generateTestHeader('Größe', 'whsec_1', { timestamp: 1_773_480_413 }));

    for (const [at, { name, keyed, expect: expected }] of errors.entries()) {
      const keys = asked.filter(({ place }) => place === `errors/${at}`).map(({ key }) => key);
      expect([name, keys.length, new Set(keys).size]).toEqual([name, expected.attempts, 1]);
      expect([name, keys[0] !== undefined]).toEqual([name, keyed]);
    }
    for (const [at, { name, pages }] of pagination.entries()) {
      const queries = asked.filter(({ place }) => place === `pagination/${at}`).map(({ query }) => query);
      expect([name, queries]).toEqual([name, pages.map(({ query }) => query)]);
    }
  });
});

function named(cases: readonly { name: string }[], results: readonly unknown[]) {
  return results.map((result, at) => [cases[at]?.name, result]);
}

/** Answers as the case in the address says. */
function play(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '', 'http://localhost');
  const [, file, at] = url.pathname.split('/');
  const place = `${file}/${at}`;
  const query = Object.fromEntries(url.searchParams);
  const before = asked.filter((one) => one.place === place).length;
  asked.push({ place, key: request.headers['idempotency-key'] as string | undefined, query });
  if (file === 'bodies') {
    request.setEncoding('utf8').on('data', (text) => (sent[place] = (sent[place] ?? '') + text));
    request.on('end', () => response.end('{"data":{}}'));
    return;
  }
  if (file === 'pagination') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(pagination[Number(at)]?.pages[before]?.answer));
    return;
  }
  const { status, headers, body } = errors[Number(at)]?.answer ?? { status: 500, headers: {}, body: '' };
  if (status === 0) request.socket.destroy();
  else response.writeHead(status, headers).end(body);
}
