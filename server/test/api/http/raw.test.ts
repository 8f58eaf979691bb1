import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { type Ground, startGround } from './ground.ts';

let ground: Ground;
let key: string;

beforeAll(async () => {
  ground = await startGround({ timeouts: { requestMs: 600, headersMs: 400, checkMs: 50, closeMs: 2_000 } });
  key = ground.key();
});
afterAll(() => ground.stop());

test('the end of the service waits for the answers that it owes, and not for connections that a browser keeps in reserve', async () => {
  const ending = await startGround({ timeouts: { closeMs: 2_000_000_000 } });
  const inReserve = connect(Number(new URL(ending.url).port), '127.0.0.1');
  await once(inReserve, 'connect');
  const { status } = await ending.call('GET', '/healthz');
  expect(status).toBe(200);
  await Promise.all([once(inReserve, 'close'), ending.stop()]);
}, 20_000);

test('a stream that is opened while the service ends is ended too', async () => {
  const ending = await startGround({ timeouts: { closeMs: 2_000_000_000 } });
  const asked = Promise.withResolvers<void>();
  const closing = Promise.withResolvers<void>();
  ending.hooks.inside = () => {
    asked.resolve();
    return closing.promise;
  };
  const stream = ending.call('GET', '/v1/public/stream');
  await asked.promise;
  const stopped = ending.stop();
  await expect.poll(() => ending.server.server.listening).toBe(false);
  closing.resolve();
  expect((await stream).text).toContain('hello');
  await stopped;
}, 20_000);

function open(): { socket: Socket; answer: Promise<string> } {
  const { port } = new URL(ground.url);
  const socket = connect(Number(port), '127.0.0.1');
  let text = '';
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
  return { socket, answer };
}

/** Sends raw bytes and reads until the server closes. */
function send(bytes: string): Promise<string> {
  const { socket, answer } = open();
  socket.write(bytes, 'latin1');
  return answer;
}

function expectError(raw: string, status: number, code: string): void {
  const [head = '', body = ''] = raw.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  for (const name of [
    'request-id: req_',
    'x-ratelimit-limit: \\d',
    'x-ratelimit-remaining: \\d',
    'x-ratelimit-reset: \\d',
    'x-content-type-options: nosniff',
  ]) {
    expect(head).toMatch(new RegExp(`^${name}`, 'im'));
  }
  const envelope = JSON.parse(body);
  expect(envelope).toEqual({
    error: {
      code,
      message: expect.stringMatching(/\S/),
      param: code === 'invalid_request' && body.includes('"Host"') ? 'Host' : null,
    },
    request_id: expect.stringMatching(/^req_/),
  });
  expect(head).toContain(envelope.request_id);
}

const CLOSE = 'connection: close\r\n';

describe('an answer to bytes that are not a request has the envelope and the headers', () => {
  test('a malformed request line is 400', async () => {
    expectError(await send('NONSENSE\r\n\r\n'), 400, 'invalid_request');
    expectError(await send('GET / HTTP/1.1\r\nbad header\r\n\r\n'), 400, 'invalid_request');
    expectError(await send('FETCH /v1/notes HTTP/1.1\r\nhost: localhost\r\n\r\n'), 400, 'invalid_request');
  });

  test('two hosts are 400, and so are two idempotency keys', async () => {
    const two = (name: string) => `${name}: localhost\r\n${name.toUpperCase()}: localhost\r\n`;
    expectError(await send(`GET /v1/notes HTTP/1.1\r\n${two('host')}${CLOSE}\r\n`), 400, 'invalid_request');
    const post = `POST /v1/notes HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`;
    const answer = await send(`${post}${two('idempotency-key')}content-length: 12\r\n${CLOSE}\r\n{"text":"a"}`);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('"param":"Idempotency-Key"');
    expect(answer).toContain('more than once');
  });

  test('two lengths of a body are 400', async () => {
    expectError(
      await send(
        'POST /v1/notes HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      ),
      400,
      'invalid_request',
    );
  });

  test('headers over 16 KiB are 431', async () => {
    expectError(
      await send(`GET /v1/notes HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(17_000)}\r\n\r\n`),
      431,
      'headers_too_large',
    );
  });

  test('an address over 16 KiB is 414', async () => {
    expectError(await send(`GET /v1/${'y'.repeat(17_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`), 414, 'uri_too_long');
  });

  test('a missing Host is 400, but not in HTTP/1.0', async () => {
    expectError(await send(`GET /page HTTP/1.1\r\n${CLOSE}\r\n`), 400, 'invalid_request');
    expect(await send('GET /page HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
  });

  test('bad percent-encoding is 400', async () => {
    expectError(await send(`GET /v1/notes/%zz HTTP/1.1\r\nhost: localhost\r\n${CLOSE}\r\n`), 400, 'invalid_request');
  });

  test.each([
    ['a fragment', (long: string) => `/v1/public/notes/${newId('tr')}/open#${long}`],
    ['a host', (long: string) => `http://${long}/v1/public/notes/${newId('tr')}/open`],
  ])('a request target with %s is 400, however long', async (_what, targetOf) => {
    // Random text, because the database compresses repetitions.
    for (const long of ['x', randomBytes(3_000).toString('hex')]) {
      const target = targetOf(long);
      expectError(
        await send(
          `POST ${target} HTTP/1.1\r\nhost: localhost\r\nidempotency-key: ${long.slice(0, 20)}\r\ncontent-length: 0\r\n${CLOSE}\r\n`,
        ),
        400,
        'invalid_request',
      );
    }
  });

  test('an unknown expectation is not answered by a bare 417', async () => {
    expect(await send(`GET /page HTTP/1.1\r\nhost: localhost\r\nexpect: wonders\r\n${CLOSE}\r\n`)).toMatch(
      /^HTTP\/1.1 200 [\s\S]*x-ratelimit-limit/i,
    );
  });
});

describe('time', () => {
  test('a dripped body is 408 when the time for requests is over', async () => {
    const { socket, answer } = open();
    socket.write(
      `POST /v1/notes HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\ncontent-type: ` +
        `application/json\r\ncontent-length: 1000\r\n\r\n{`,
    );
    const drip = setInterval(() => socket.write(' '), 50);
    const started = performance.now();
    expectError(await answer, 408, 'request_timeout');
    clearInterval(drip);
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  test('dripped headers are 408', async () => {
    const { socket, answer } = open();
    socket.write('GET /page HTTP/1.1\r\nhost: localhost\r\n');
    const drip = setInterval(() => socket.write('x: y\r\n'), 50);
    expectError(await answer, 408, 'request_timeout');
    clearInterval(drip);
  });
});

describe('the development profile', () => {
  test.each(['evil.example', '192.168.1.5:3000', 'localhost.evil.example'])(
    'refuses the foreign host %s',
    async (host) => {
      expect(await send(`GET /page HTTP/1.1\r\nhost: ${host}\r\n${CLOSE}\r\n`)).toMatch(
        /^HTTP\/1.1 403 [\s\S]*"forbidden"/,
      );
    },
  );

  test.each(['localhost', 'localhost:3000', '127.0.0.1:80', '[::1]:3000', 'a.localhost'])(
    'answers to %s',
    async (host) => {
      expect(await send(`GET /page HTTP/1.1\r\nhost: ${host}\r\n${CLOSE}\r\n`)).toMatch(/^HTTP\/1.1 200 /);
    },
  );
});

test('a body of a few megabytes is rejected so that its sender gets the reason', async () => {
  for (const megabytes of [1, 5]) {
    const answer = await ground.call('POST', '/v1/notes', {
      as: key,
      text: 'x'.repeat(megabytes * 1_000_000),
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.json.error.code).toBe('payload_too_large');
  }
});

test.each([{ idleMs: 200 }, { unreadMs: 200 }])(
  'a client that does not read its response is disconnected (%j)',
  async (timeouts) => {
    const own = await startGround({ timeouts });
    const { port } = new URL(own.url);
    const socket = connect(Number(port), '127.0.0.1').pause();
    const closed = new Promise((resolve) =>
      own.server.server.once('connection', (peer) => peer.once('close', resolve)),
    );
    socket.write('GET /large-page HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await closed;
    socket.destroy();
    await own.stop();
    // A client that reads gets all of it.
    expect(Buffer.byteLength((await ground.call('GET', '/large-page')).text)).toBe(32 * 1024 * 1024);
  },
);

test('a stream of events is answered with the headers and ends when the server closes', async () => {
  const own = await startGround();
  const response = await fetch(`${own.url}/v1/public/stream`);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('x-ratelimit-limit')).toBe('10000');
  const text = response.text();
  expect((await own.call('HEAD', '/v1/public/stream')).headers.get('content-type')).toBe(
    'text/event-stream; charset=utf-8',
  );
  await own.stop();
  expect(await text).toContain('id: 1\nevent: note\ndata: {"hello":"world"}\n\n');
});

test('closing finishes running requests, on kept-alive connections too, and takes no new ones', async () => {
  const own = await startGround();
  const arrived = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  own.hooks.inside = async () => {
    arrived.resolve();
    await opened.promise;
  };
  const pending = own.call('POST', '/v1/notes', { as: own.key(), body: { text: 'last' } });
  await arrived.promise;

  const stopped = own.stop();
  const started = performance.now();
  opened.resolve();
  const answer = await pending;
  expect([answer.status, answer.json.data.text, answer.headers.get('connection')]).toEqual([201, 'last', 'close']);
  await stopped;
  expect(performance.now() - started).toBeLessThan(5_000);
  await expect(own.call('GET', '/page')).rejects.toThrow();
});
