import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Client } from './admission/client.ts';
import { admitStream, EventStream, type StreamHolder } from './event-stream.ts';

let server: FastifyInstance;
let streams: EventStream[];
let replies: FastifyReply[];
let left: PromiseWithResolvers<void>;
const sockets: Socket[] = [];

beforeEach(async () => {
  server = Fastify();
  server.decorate('eventStreams', new Set<EventStream>());
  streams = [];
  replies = [];
  server.get('/stream', async (_request, reply) => {
    replies.push(reply);
    streams.push(new EventStream(reply));
  });
  left = Promise.withResolvers();
  server.get('/late', async (_request, reply) => {
    await left.promise;
    streams.push(new EventStream(reply));
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
});

afterEach(async () => {
  vi.useRealTimers();
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

/** Sends these requests in one write and resolves once the first was answered. */
async function send(...requests: string[]): Promise<Socket> {
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  socket.write(requests.map((line) => `${line} HTTP/1.1\r\nHost: shop\r\n\r\n`).join(''));
  await once(socket, 'data');
  return socket;
}

test('a stream is not opened behind another response of its connection, and leaves nothing when that one closes', async () => {
  const socket = await send('GET /stream', 'GET /stream', 'HEAD /stream');
  await expect.poll(() => replies).toHaveLength(3);
  expect(streams).toHaveLength(1);
  expect(server.eventStreams.size).toBe(1);

  socket.destroy();
  await expect.poll(() => server.eventStreams.size).toBe(0);
});

test('a stream whose client has left before it opens has ended', async () => {
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  server.server.once('request', (_request, response) => {
    response.once('close', () => left.resolve());
    socket.resetAndDestroy();
  });
  socket.write('GET /late HTTP/1.1\r\nHost: shop\r\n\r\n');
  await expect.poll(() => streams).toHaveLength(1);
  expect(streams[0]?.ended.aborted).toBe(true);
  expect(server.eventStreams.size).toBe(0);
});

test('a HEAD request is answered with the headers and holds no stream', async () => {
  await send('HEAD /stream');
  expect(streams[0]?.ended.aborted).toBe(true);
  expect(server.eventStreams.size).toBe(0);
});

test('a stream that has ended writes nothing more, and cuts off a client that does not read the rest', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  const socket = await send('GET /stream');
  socket.pause();
  const [stream] = streams as [EventStream];
  const { raw } = (replies as [FastifyReply])[0];
  // More than the kernel takes for a client that does not read.
  for (let event = 0; event < 10_000 && raw.writableLength === 0; event++) stream.send({ data: 'x'.repeat(50_000) });
  expect(raw.writableLength).toBeGreaterThan(0);

  stream.end();
  const written = vi.spyOn(raw, 'write');
  vi.advanceTimersByTime(4_000);
  expect(raw.destroyed).toBe(false);
  vi.advanceTimersByTime(60_000);
  expect(written).not.toHaveBeenCalled();
  expect(stream.send({ data: 'late' })).toBe(false);
  expect(raw.destroyed).toBe(true);
});

test('all clients of an IPv6 /48 hold four times as many streams as one of them, and a full process makes room for others', () => {
  const eventStreams = new Set<{ holder: StreamHolder; end(): void }>();
  const reply = { server: { eventStreams } } as unknown as FastifyReply;
  const open = (address: string, max: number) => {
    const holder = admitStream(reply, { kind: 'client', who: Client.at(address) }, max);
    const stream = { holder, end: () => void eventStreams.delete(stream) };
    eventStreams.add(stream);
  };
  for (let at = 0; at < 400; at += 1) open(`2001:db8:1:${at.toString(16)}::1`, 1_000);
  expect(() => open('2001:db8:1:ffff::1', 1_000)).toThrow('This IPv6 range (/48) already has 400 open streams');
  open('2001:db8:2::1', 401);
  // The range is one holder, however many clients it is.
  open('203.0.113.7', 401);
  expect(eventStreams.size).toBe(401);
  expect(() => open('2001:db8:1:ffff::1', 401)).toThrow('Too many open streams');
});
