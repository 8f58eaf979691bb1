import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../platform/time.ts';
import { createPictures, type Pictures } from './pictures.ts';

let server: Server;
let url: string;
let status: number;
let type: string;
let asked: string[];
let nowMs: number;
let pictures: Pictures;

beforeEach(async () => {
  status = 200;
  type = 'image/png';
  asked = [];
  nowMs = 0;
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(status, { 'content-type': type }).end('picture');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  pictures = createPictures({ allowPrivate: true, ownUrl: 'http://localhost:1' }, pino({ level: 'silent' }), {
    nowMs: () => nowMs,
  });
});
afterEach(async () => {
  await pictures.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test.each([
  ['an error', 404, 'image/png'],
  ['a page', 200, 'text/html'],
])(
  'a logo URL that returns %s yields no picture, and does not end the process',
  async (_what, answered, contentType) => {
    const crashed = vi.fn();
    process.prependListener('uncaughtException', crashed);
    status = answered;
    type = contentType;
    expect(await pictures.fetch(`${url}/logo`)).toBeNull();
    // The error is emitted in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('uncaughtException', crashed);
    expect(crashed).not.toHaveBeenCalled();
  },
);

test('a logo that could not be fetched is retried after a minute, and not before', async () => {
  status = 500;
  expect(await pictures.fetch(`${url}/logo`)).toBeNull();
  status = 200;
  nowMs = MINUTE_MS - 1;
  expect(await pictures.fetch(`${url}/logo`)).toBeNull();
  expect(asked).toHaveLength(1);
  nowMs = MINUTE_MS;
  expect(await pictures.fetch(`${url}/logo`)).toMatchObject({ type: 'image/png' });
});

test('a fetched logo is cached for an hour, and concurrent visitors share one request', async () => {
  await Promise.all(Array.from({ length: 20 }, () => pictures.fetch(`${url}/logo`)));
  nowMs = HOUR_MS - 1;
  await pictures.fetch(`${url}/logo`);
  expect(asked).toHaveLength(1);
  nowMs = HOUR_MS;
  await pictures.fetch(`${url}/logo`);
  expect(asked).toHaveLength(2);
});

test('one host gets at most thirty requests a minute, regardless of the number of URLs on it', async () => {
  for (let number = 0; number < 40; number += 1) await pictures.fetch(`${url}/${number}`);
  expect(asked).toHaveLength(30);
  expect(await pictures.fetch(`${url}/39`)).toBeNull();
  nowMs = MINUTE_MS;
  expect(await pictures.fetch(`${url}/39`)).toMatchObject({ type: 'image/png' });
});

test('two hundred logos are cached at once', async () => {
  for (let number = 0; number < 200; number += 1) {
    nowMs = Math.floor(number / 30) * MINUTE_MS;
    await pictures.fetch(`${url}/${number}`);
  }
  await pictures.fetch(`${url}/0`);
  expect(asked).toHaveLength(200);
});
