import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ listen: true });
});
afterAll(() => app?.stop());

describe.each(['checkout', 'dashboard'])('files of the %s', (of) => {
  const prefix = `/assets/${of}/`;

  test.each([
    ['the folder', ''],
    ['an empty name', '/'],
    ['a NUL', '%00'],
    ['a dot', '%2e'],
    ['the folder above', '%2e%2e/x'],
    ['a hidden file', '.env'],
    ['a long name', 'x'.repeat(5_000)],
    ['a name that no file has', 'nothing.js'],
  ])('%s is 404', async (_what, name) => {
    const answer = await get(prefix + name);
    expect([answer.status, answer.text.includes('"not_found"')]).toEqual([404, true]);
  });

  test.each([
    ['a range beyond its end', 'Range: bytes=99999999-'],
    ['another version of it', 'If-Match: "x"'],
    ['a version from before it was built', 'If-Unmodified-Since: Thu, 01 Jan 2015 00:00:00 GMT'],
  ])('a file is sent whole to a request for %s', async (_what, header) => {
    const name = fileIn(of);
    const whole = await get(prefix + name);
    const answer = await get(prefix + name, `${header}\r\n`);
    expect([answer.status, answer.text]).toEqual([200, whole.text]);
  });
});

function fileIn(of: string): string {
  const path = fileURLToPath(new URL(`../../../../web/dist/${of}/`, import.meta.url));
  const name = readdirSync(`${path}assets`).find((one) => /\.(js|css)$/.test(one));
  if (!name) throw new Error(`no file in ${path}`);
  return `assets/${name}`;
}

/** Over a raw socket, because `fetch` resolves dots before it sends. */
function get(target: string, headers = ''): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    let raw = '';
    socket.on('data', (chunk) => {
      raw += chunk.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', ...body] = raw.split('\r\n\r\n');
      resolve({ status: Number(head.slice(9, 12)), text: body.join('\r\n\r\n') });
    });
    socket.write(`GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${headers}\r\n`);
  });
}
