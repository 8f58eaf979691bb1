import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../../cli/src/run.ts';
import { startApp, type TestApp } from '../support/index.ts';
import { serve } from '../support/listen.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ listen: true, work: true });
  await app.merchant.createWallet();
});
afterAll(() => app.stop());

let out = '';

/** Runs a command line with the merchant's test key. */
function quittance(
  line: string,
  options: { signal?: AbortSignal; onOut?: (text: string) => void } = {},
): Promise<number> {
  const write = (text: string) => {
    out += text;
    options.onOut?.(text);
  };
  return run(line.split(' '), {
    stdout: { write },
    stderr: { write },
    stdin: new PassThrough(),
    env: { QUITTANCE_URL: app.url, QUITTANCE_KEY: app.merchant.testKey },
    ...(options.signal && { signal: options.signal }),
  });
}

test('listen shows an event once, though the service sends the last ones again after a lost connection', async () => {
  const messageOf = (id: string) =>
    `id: ${id}\nevent: payment.paid\ndata: ${JSON.stringify({ id, type: 'payment.paid', data: {} })}\n\n`;
  const streams = [
    ['evt_1', 'evt_2'],
    // Lost again before anything new was sent.
    ['evt_1'],
    ['evt_1', 'evt_3'],
  ];
  const resumed: unknown[] = [];
  await using service = await serve((request, response) => {
    resumed.push(request.headers['last-event-id']);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: ready\ndata: {"signing_secret":"whsec_c2VjcmV0"}\n\n');
    response.end((streams.shift() ?? []).map(messageOf).join(''));
  });
  out = '';
  const stop = new AbortController();
  await quittance(`listen --json --url ${service.url}`, {
    signal: stop.signal,
    onOut: (text) => text.includes('evt_3') && stop.abort(),
  });
  expect([...out.matchAll(/"id":"(evt_\d)"/g)].map(([, id]) => id)).toEqual(['evt_1', 'evt_2', 'evt_3']);
  expect(resumed.slice(0, 3)).toEqual([undefined, 'evt_2', 'evt_2']);
});

test('listen prints for people when, what the receiver answered and said, and which payment', async () => {
  await using server = await serve((_request, response) =>
    response.writeHead(500).end('No \u001b[2Jsecret.\nat receiver.mjs:9'),
  );
  const stop = new AbortController();
  let ready: () => void = () => {};
  let printed: () => void = () => {};
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const isPrinted = new Promise<void>((resolve) => {
    printed = resolve;
  });
  const listening = quittance(`listen --events payment.paid --forward-to ${server.url}`, {
    signal: stop.signal,
    onOut: (text) => {
      if (text.includes('Ready')) ready();
      if (text.includes('payment.paid ')) printed();
    },
  });
  await isReady;
  await quittance('trigger payment.paid');
  await isPrinted;
  stop.abort();
  expect(await listening).toBe(0);
  expect(out).toMatch(/^\d\d:\d\d:\d\d ✗ 500 payment\.paid +[\d.]+ USD .*pay_\w+ \(\d+ ms\)\n +No \[2Jsecret\.$/m);
});

test('a reader that closes the pipe, as head does, ends the command without an error', async () => {
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url)), 'help'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let complaint = '';
  child.stderr.on('data', (text) => {
    complaint += text;
  });
  const [code] = await once(child, 'close');
  expect([code, complaint]).toEqual([0, '']);
});
