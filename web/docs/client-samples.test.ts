import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openApiDocument } from '@quittance/contract/openapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isInstalled, skippedNote } from '../../clients/interpreters.ts';
import { callOf, type SampleCall } from './sample-call.ts';
import { samplesOf } from './samples.ts';
import { isList } from './sdk-sample.ts';

// Every sample of the reference is run as it is printed, and must send the request that it documents.
const CLIENTS = fileURLToPath(new URL('../../clients', import.meta.url));

/** Runs every file that is named, so that an interpreter starts once. */
const RUNNERS = {
  curl: { program: 'sh', file: (at: number) => `${at}.sh`, start: 'for file in "$@"; do sh "$file"; done' },
  Python: {
    program: 'python3',
    file: (at: number) => `${at}.py`,
    start: `import sys\nsys.path.insert(0, "${CLIENTS}/python")\nfor file in sys.argv[1:]: exec(open(file).read(), {})`,
  },
  PHP: {
    program: 'php',
    file: (at: number) => `${at}.php`,
    start: '<?php foreach (array_slice($argv, 1) as $file) { (static fn () => require $file)(); }',
  },
} as const;

interface Sent {
  method: string;
  url: string;
  authorization: string | undefined;
  body: unknown;
}

let server: Server;
let sent: Sent[] = [];
let lists: string[] = [];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quittance-samples-'));
  server = createServer(async (request, response) => {
    const text = (await buffer(request)).toString();
    const { method = '', url = '', headers } = request;
    sent.push({ method, url, authorization: headers.authorization, body: text === '' ? undefined : JSON.parse(text) });
    const isPage = method === 'GET' && lists.includes(url);
    const answer = isPage
      ? { data: [{ id: 'id_1' }], pagination: { cursor: null, has_more: false } }
      : { data: { id: 'id_1' } };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

test.each(Object.entries(RUNNERS))('the samples of %s send the requests that they document', async (title, runner) => {
  if (!isInstalled(runner.program === 'sh' ? 'curl' : runner.program)) {
    console.warn(`the samples of ${title}${skippedNote(runner.program)}`);
    return;
  }
  const { port } = server.address() as AddressInfo;
  const document = openApiDocument({ publicUrl: `http://127.0.0.1:${port}` });
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const placed = { method: method.toUpperCase(), path, operation };
      const code = samplesOf(placed, document).find((sample) => sample.title === title)?.code ?? '';
      return { call: callOf(placed, document), code, isList: isList(operation.operationId) };
    }),
  );
  expect(calls.length).toBeGreaterThan(50);
  sent = [];
  lists = calls.filter((one) => one.isList).map(({ call }) => pathOf(call));
  const files = await Promise.all(
    calls.map(async ({ code }, at) => {
      const file = join(folder, runner.file(at));
      await writeFile(file, title === 'PHP' ? `<?php ${code.replace('quittance-php', `${CLIENTS}/php`)}` : code);
      return file;
    }),
  );
  const start = join(folder, `start-${title}`);
  await writeFile(start, runner.start);
  await promisify(execFile)(runner.program, [start, ...files], {
    env: { PATH: process.env.PATH, QUITTANCE_KEY: 'sk_test_1', QUITTANCE_LOGIN_TOKEN: 'ses_1' },
  });
  expect(sent).toEqual(calls.map(({ call }) => expectedOf(call)));
});

function expectedOf(call: SampleCall): Sent {
  const [, value] = call.headers.find(([name]) => name === 'Authorization') ?? [];
  return {
    method: call.method,
    url: pathOf(call),
    authorization: value?.replace('$QUITTANCE_KEY', 'sk_test_1').replace('$QUITTANCE_LOGIN_TOKEN', 'ses_1'),
    body: call.body,
  };
}

function pathOf({ url }: SampleCall): string {
  return url.replace(/^http:\/\/[^/]+/, '');
}
