import { once } from 'node:events';
import { createServer, request as send, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { generateTestHeader, readEvent, SignatureVerificationError } from '../src/webhooks.ts';

const SECRET = 'whsec_ZXhhbXBsZS1leGFtcGxlLWV4YW1w';
const MIB = 1024 * 1024;
const BODY = JSON.stringify({ id: 'evt_1', type: 'payment.paid', data: { order_id: 'Größe 1' } });

// The outcome of the latest request, in a receiver like those of the guides.
let outcome: PromiseWithResolvers<string>;
let readBefore = false;
let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    try {
      if (readBefore) await buffer(request);
      const { id } = await readEvent(request, SECRET);
      response.writeHead(204).end();
      outcome.resolve(id);
    } catch (error) {
      const isRefused = error instanceof SignatureVerificationError;
      response.writeHead(isRefused ? 400 : 500).end((error as Error).message);
      outcome.resolve(`${isRefused ? 400 : 500} ${(error as Error).message}`);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  outcome = Promise.withResolvers();
  readBefore = false;
});

test('a signed event is read, from a request of Node or of the web', async () => {
  const headers = { 'service-signature': await generateTestHeader(BODY, SECRET) };
  expect((await post(BODY, headers)).status).toBe(204);
  expect(await outcome.promise).toBe('evt_1');
  const request = new Request('http://shop.example.com/', { method: 'POST', body: BODY, headers });
  expect((await readEvent(request, SECRET)).data.order_id).toBe('Größe 1');
});

test('a wrong signature and an empty body are refused', async () => {
  const headers = { 'service-signature': await generateTestHeader(BODY, 'whsec_other') };
  const refused = await post(BODY, headers);
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('No signature matches')]);
  const empty = new Request('http://shop.example.com/', { method: 'POST', headers });
  await expect(readEvent(empty, SECRET)).rejects.toThrow(SignatureVerificationError);
});

test('a body that is read already is refused with the reason', async () => {
  readBefore = true;
  const headers = { 'service-signature': await generateTestHeader(BODY, SECRET) };
  expect(await (await post(BODY, headers)).text()).toContain('before any body parser');
  const request = new Request('http://shop.example.com/', { method: 'POST', body: BODY, headers });
  await request.text();
  await expect(readEvent(request, SECRET)).rejects.toThrow('before any body parser');
});

test('a body of 1 MiB is read, and of a larger one no more than that', async () => {
  expect(await (await post('x'.repeat(MIB))).text()).toContain('header is missing');
  const refused = await post('x'.repeat(MIB + 1));
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('larger than 1048576 bytes')]);

  const endless = send({ port, host: '127.0.0.1', method: 'POST' });
  const more = () => endless.write(Buffer.alloc(64 * 1024));
  endless.on('drain', more);
  more();
  const [{ statusCode }] = await once(endless, 'response');
  endless.on('error', () => {}).destroy();
  expect(statusCode).toBe(400);

  const request = new Request('http://shop.example.com/', {
    method: 'POST',
    body: new Blob([Buffer.alloc(MIB + 1)]).stream(),
    duplex: 'half',
  } as RequestInit);
  await expect(readEvent(request, SECRET)).rejects.toThrow('larger than 1048576 bytes');
});

test.each([
  ['another framework', { headers: {}, body: { id: 'evt_1' } }],
  ['another framework, with its body as bytes', { headers: {}, body: Buffer.from(BODY) }],
])('a request of %s is refused with the hint to pass its raw one', async (_, request) => {
  const refusal = readEvent(request as never, SECRET);
  await expect(refusal).rejects.toThrow(SignatureVerificationError);
  await expect(refusal).rejects.toThrow('`request.raw` of Fastify');
});

test('a body of objects is refused as one that is parsed', async () => {
  const request = Object.assign(Readable.from([{ id: 'evt_1' }]), { headers: {} });
  await expect(readEvent(request, SECRET)).rejects.toThrow('already parsed');
});

test('a connection that is closed before the end of the body is refused like a wrong signature', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 100\r\n\r\n{');
  await once(server, 'request');
  socket.resetAndDestroy();
  expect(await outcome.promise).toBe('400 The connection was closed early.');
  outcome = Promise.withResolvers();
  expect((await post(BODY, { 'service-signature': await generateTestHeader(BODY, SECRET) })).status).toBe(204);
});

function post(body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers });
}
