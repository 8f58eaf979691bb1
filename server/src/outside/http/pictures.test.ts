import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPictures, type Pictures } from './pictures.ts';

let server: Server;
let url: string;
let status: number;
let type: string;
let asked: string[];
let pictures: Pictures;

beforeEach(async () => {
  status = 200;
  type = 'image/png';
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(status, { 'content-type': type }).end('picture');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  pictures = createPictures({ allowPrivate: true, ownUrl: 'http://localhost:1' }, pino({ level: 'silent' }));
});
afterEach(async () => {
  await pictures.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test.each([
  ['an error', 404, 'image/png'],
  ['a page', 200, 'text/html'],
])('a logo address that answers with %s gives no picture, and does not end the process', async (_what, answered, contentType) => {
  const crashed = vi.fn();
  process.prependListener('uncaughtException', crashed);
  status = answered;
  type = contentType;
  expect(await pictures.fetch(`${url}/logo`)).toBeNull();
  // The error came in a later turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('uncaughtException', crashed);
  expect(crashed).not.toHaveBeenCalled();
});
