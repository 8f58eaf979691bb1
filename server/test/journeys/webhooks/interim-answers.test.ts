import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { exchangeJson } from '../../../src/outside/http/json.ts';
import type { Outbound } from '../../../src/outside/http/outbound.ts';
import { createOutbound } from '../../../src/outside/http/undici.ts';
import { createProvider } from '../../../src/outside/chains/rpc/provider.ts';
import { listen } from '../../support/listen.ts';
import { authority } from './receiver-behaviors.ts';

const certificate = (name: string) => readFileSync(new URL(`../../support/certificates/${name}.pem`, import.meta.url));
const FINAL = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n';
const PROCESSING = 'HTTP/1.1 102 Processing\r\n\r\n';

/** What arrives for one request, packet by packet. */
const ANSWERS: Record<string, string[]> = {
  'no interim answer': [FINAL],
  '100 in a packet of its own': [CONTINUE, FINAL],
  '100 in the packet of the final answer': [CONTINUE + FINAL],
  'several of them': [CONTINUE, CONTINUE, HINTS + PROCESSING, CONTINUE, FINAL],
  'several of them at once': [CONTINUE + PROCESSING + HINTS + CONTINUE + FINAL],
  '100 with headers and without a reason': ['HTTP/1.1 100 \r\nServer: IIS\r\nDate: now\r\n\r\n', FINAL],
  'an unknown interim status': ['HTTP/1.1 199 Soon\r\n\r\n', FINAL],
  '100, and then a failure': [CONTINUE, 'HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n'],
  '100, and the end of the connection': [CONTINUE, 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}', ''],
  'all of that byte by byte': [...(CONTINUE + HINTS + CONTINUE + FINAL)],
  'a split in the status': ['HTTP/1.1 1', `00 Continue\r\n\r\nHTTP/1.`, FINAL.slice(7)],
};

let outbound: Outbound;
const servers = new Set<Raw>();
beforeAll(() => {
  outbound = createOutbound({ allowPrivate: true, ownUrl: 'http://localhost:1', ca: authority });
});
afterEach(() => Promise.all([...servers].map((server) => server.close())));
afterAll(() => outbound.close());

describe.each(['http', 'https'] as const)('interim answers over %s are read past', (scheme) => {
  test.each(Object.entries(ANSWERS))('%s', async (name, packets) => {
    const server = await startRaw((socket) => send(socket, packets), scheme);
    const owner = `we_${scheme} ${name}`;
    const status = name.includes('failure') ? 503 : 200;
    for (let count = 1; count <= 3; count += 1) {
      expect(await post(owner, server.url)).toMatchObject({ status, body: status === 200 ? '{}' : '' });
      await turnOfTheLoop();
      expect(server.requests).toBe(count);
    }
    expect(server.connections).toBe(packets.at(-1) === '' ? 3 : 1);
  });
});

test.each([
  ['only interim answers, and a close', [CONTINUE, ''], 'connection_failed'],
  ['half an interim answer, and a close', ['HTTP/1.1 100 Cont', ''], 'connection_failed'],
  [
    'a switch of protocols behind 100',
    [`${CONTINUE}HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n`],
    'invalid_response',
  ],
  ['what is not HTTP behind 100', [`${CONTINUE}SSH-2.0-OpenSSH\r\n`, ''], 'invalid_response'],
  ['an interim answer without an end', [`HTTP/1.1 100 Continue\r\nX: ${'a'.repeat(20_000)}\r\n`], 'invalid_response'],
])('%s is no answer, after one request', async (name, packets, error) => {
  const server = await startRaw((socket) => send(socket, packets));
  expect(await post(`we_${name}`, server.url)).toMatchObject({ status: null, error });
  expect(server.requests).toBe(1);
});

test.each(Object.entries(ANSWERS))('a service that is configured may send them too: %s', async (name, packets) => {
  const server = await startRaw((socket) => send(socket, packets));
  const asked = exchangeJson(server.url, { method: 'POST', body: {}, timeoutMs: 1_500 });
  if (name.includes('failure')) await expect(asked).rejects.toThrow();
  else expect(await asked).toEqual({ status: 200, body: {} });
});

test('so may an RPC provider', async () => {
  const server = await startRaw((socket) => {
    const answer = `{"jsonrpc":"2.0","id":${server.requests},"result":"0x1"}`;
    return send(socket, [CONTINUE, HINTS, `HTTP/1.1 200 OK\r\nContent-Length: ${answer.length}\r\n\r\n${answer}`]);
  });
  const pin = { method: 'eth_chainId', expected: '0x1', parse: String };
  const provider = createProvider(server.url, { pin });
  expect(await provider.call({ method: 'eth_blockNumber', params: [], parse: String })).toBe('0x1');
  await provider.close();
});

describe('a reused connection that ends before any byte of the answer', () => {
  test.each(['reset', 'end'] as const)(
    'by %s costs no attempt: the request is sent once more on a new one',
    async (how) => {
      for (const text of ['', 'x', 'x'.repeat(100_000)]) {
        const server = await startRaw((socket, before) => (before === 0 ? send(socket, [FINAL]) : leave(socket, how)));
        const owner = `we_${how}_${text.length}`;
        expect(await post(owner, server.url, text)).toMatchObject({ status: 200 });
        await turnOfTheLoop();
        expect(await post(owner, server.url, text)).toMatchObject({ status: 200 });
        expect([server.connections, server.requests]).toEqual([2, 3]);
      }
    },
  );

  test.each(['reset', 'end'] as const)(
    'by %s is replaced by a new one, though others of the endpoint are old too',
    async (how) => {
      let isOpen = false;
      const opened = Promise.withResolvers<void>();
      const server = await startRaw(async (socket, before) => {
        if (before > 0) return leave(socket, how);
        if (server.requests === 5) opened.resolve();
        if (!isOpen) await opened.promise;
        isOpen = true;
        await send(socket, [FINAL]);
      });
      const answers = await Promise.all(Array.from({ length: 5 }, () => post(`we_all_${how}`, server.url)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      await turnOfTheLoop();
      expect(await post(`we_all_${how}`, server.url)).toMatchObject({ status: 200 });
      expect([server.connections, server.requests]).toEqual([6, 7]);
    },
  );

  test('is never tried a third time', async () => {
    const server = await startRaw((socket) => (server.requests === 1 ? send(socket, [FINAL]) : leave(socket, 'reset')));
    expect(await post('we_twice', server.url)).toMatchObject({ status: 200 });
    await turnOfTheLoop();
    expect(await post('we_twice', server.url)).toMatchObject({ status: null, error: 'connection_failed' });
    expect([server.connections, server.requests]).toEqual([2, 3]);
  });
});

test.each([
  ['a new connection', 0, []],
  ['a reused one behind the first byte of the answer', 1, ['H']],
  ['a reused one behind an interim answer', 1, [CONTINUE]],
])('%s that is reset is a failed attempt', async (name, healthy, packets) => {
  const server = await startRaw(async (socket) => {
    if (server.requests <= healthy) return send(socket, [FINAL]);
    await send(socket, packets);
    await turnOfTheLoop();
    return leave(socket, packets.length === 0 ? 'reset' : 'end');
  });
  for (let count = 0; count < healthy; count += 1) await post(`we_${name}`, server.url);
  await turnOfTheLoop();
  expect(await post(`we_${name}`, server.url)).toMatchObject({ status: null, error: 'connection_failed' });
  expect(server.requests).toBe(healthy + 1);
});

interface Raw {
  url: string;
  /** Of all connections. */
  requests: number;
  connections: number;
  close(): Promise<void>;
}

/** A receiver that answers by hand. `before` is the number of earlier requests on the connection. */
async function startRaw(
  answer: (socket: Socket, before: number) => unknown,
  scheme: 'http' | 'https' = 'http',
): Promise<Raw> {
  const sockets = new Set<Socket>();
  const serve = (socket: Socket) => {
    raw.connections += 1;
    sockets.add(socket.setNoDelay().on('error', () => {}));
    let before = 0;
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const [, head = '', length = ''] = /^([\s\S]*?content-length: (\d+)[\s\S]*?\r\n\r\n)/i.exec(text) ?? [];
      if (!head || text.length < head.length + Number(length)) return;
      text = '';
      raw.requests += 1;
      void answer(socket, before);
      before += 1;
    });
  };
  const server: Server =
    scheme === 'http'
      ? createServer(serve)
      : createTlsServer({ key: certificate('key'), cert: certificate('good') }, serve);
  const { port } = await listen(server);
  const raw: Raw = {
    url: `${scheme}://127.0.0.1:${port}/`,
    requests: 0,
    connections: 0,
    async close() {
      servers.delete(raw);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  servers.add(raw);
  return raw;
}

/** Each as a packet of its own, as far as a program can say; an empty one ends the connection. */
async function send(socket: Socket, packets: string[]): Promise<void> {
  for (const packet of packets) {
    if (packet === '') socket.end();
    else await new Promise((resolve) => socket.write(packet, resolve));
    await turnOfTheLoop();
  }
}

function leave(socket: Socket, how: 'reset' | 'end'): void {
  if (how === 'reset') socket.resetAndDestroy();
  else socket.end();
}

function post(owner: string, url: string, text = '{"id":"evt_1"}') {
  return outbound.post({ owner, url, headers: {}, body: Buffer.from(text), timeoutMs: 1_500 });
}
