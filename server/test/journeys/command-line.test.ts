import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { constructEvent } from '@quittance/sdk/webhooks';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { run } from '../../../cli/src/run.ts';
import { startApp, type TestApp } from '../support/index.ts';
import { serve } from '../support/listen.ts';
import { type Mailbox, mailbox, newestCode } from '../support/logins.ts';

let app: TestApp;
let box: Mailbox;
let home: string;
let out: string;
let err: string;

beforeAll(async () => {
  box = mailbox();
  app = await startApp({ listen: true, work: true, overrides: { mail: box } });
  await app.merchant.createWallet();
});
afterAll(() => app.stop());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'quittance-cli-'));
  out = '';
  err = '';
  return () => rm(home, { recursive: true });
});

/** Runs a command line as a shell would, with the merchant's test key. */
function quittance(
  line: string,
  options: {
    key?: string | null;
    stdin?: NodeJS.ReadableStream;
    signal?: AbortSignal;
    onOut?: (text: string) => void;
  } = {},
): Promise<number> {
  const key = options.key === undefined ? app.merchant.testKey : options.key;
  return run(line.split(' ').filter(Boolean), {
    stdout: {
      write: (text) => {
        out += text;
        options.onOut?.(text);
      },
    },
    stderr: {
      write: (text) => {
        err += text;
        options.onOut?.(text);
      },
    },
    stdin: options.stdin ?? new PassThrough(),
    env: { HOME: home, QUITTANCE_URL: app.url, ...(key && { QUITTANCE_KEY: key }) },
    ...(options.signal && { signal: options.signal }),
  });
}

test('a key with scopes is written to a file of its own, and the saved key stays', async () => {
  await mkdir(join(home, '.config', 'quittance'), { recursive: true });
  const profile = join(home, '.config', 'quittance', 'profile.json');
  await writeFile(profile, JSON.stringify({ token: app.merchant.loginToken, key: 'sk_test_kept' }));
  const file = join(home, 'agent.env');
  expect(await quittance('keys create --scope payments:read --scope links:write', { key: null })).toBe(2);
  expect(
    await quittance(`keys create --label Agent --scope payments:read --scope links:write --out ${file}`, { key: null }),
  ).toBe(0);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const [, secret = ''] = /^QUITTANCE_KEY=(sk_test_\w{36})\n$/.exec(await readFile(file, 'utf8')) ?? [];
  expect((await app.inject('GET', '/v1/api-keys/current', { token: secret })).body.data).toMatchObject({
    label: 'Agent',
    scopes: ['payments:read', 'links:write'],
  });
  expect(JSON.parse(await readFile(profile, 'utf8')).key).toBe('sk_test_kept');
  expect(out + err).not.toContain(secret);
  out = '';
  expect(await quittance('keys', { key: null })).toBe(0);
  expect(out).toContain('[payments:read links:write]');
  expect(await quittance(`keys create --scope nothing --out ${file}.2`, { key: null })).toBe(1);

  const [id = ''] = /key_\w{24}/.exec(out) ?? [];
  expect(await quittance(`keys rotate ${id}`, { key: null })).toBe(2);
  expect(await quittance(`keys rotate ${id} --out ${file}`, { key: null })).toBe(2);
  expect(await quittance(`keys create --out ${file}`, { key: null })).toBe(2);
  expect(await quittance(`keys rotate ${id} --out ${home}/missing/agent.env`, { key: null })).toBe(2);
  expect(err).toContain('missing/agent.env');
  expect((await app.inject('GET', '/v1/payments', { token: secret })).status).toBe(200);
  expect(await quittance(`keys rotate ${id.replace(/.$/, '_')} --out ${file}.3`, { key: null })).toBe(1);
  expect(await quittance(`keys rotate ${id} --out ${file}.3`, { key: null })).toBe(0);
  expect((await app.inject('GET', '/v1/payments', { token: secret })).status).toBe(401);
  const [, rotated = ''] = /^QUITTANCE_KEY=(\w+)$/m.exec(await readFile(`${file}.3`, 'utf8')) ?? [];
  expect((await app.inject('GET', '/v1/transfers', { token: rotated })).status).toBe(403);
  expect(JSON.parse(await readFile(profile, 'utf8')).key).toBe('sk_test_kept');
});

test('verify says what a receipt says, with the network off, and refuses a changed one', async () => {
  const session = await app.merchant.createSession();
  const { payment } = await app.merchant.pay(session.id);
  const first = await app.merchant.get(`/payments/${payment}/receipt`);
  await app.merchant.post(`/payments/${payment}/refund`, { amount: '10.00' });
  const second = await app.merchant.get(`/payments/${payment}/receipt`);
  const [jwks, old, now, bad] = ['jwks.json', 'old.jwt', 'now.jwt', 'bad.jwt'].map((name) => join(home, name)) as [
    string,
    string,
    string,
    string,
  ];
  await writeFile(jwks, (await app.inject('GET', `/.well-known/jwks/${app.merchant.accountId}/test.json`)).raw);
  await writeFile(old, `${first.jws}\n`);
  await writeFile(now, second.jws);
  await writeFile(
    bad,
    second.jws.replace(/.$/, (last: string) => (last === 'A' ? 'Q' : 'A')),
  );

  const payee = '--payee 0x52908400098527886E0F7030069857D2E4169EE7';
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.reject(new Error('the network is off'));
  try {
    expect(
      await quittance(`verify ${old} ${now} --jwks ${jwks} ${payee} --test --issuer ${app.config.publicUrl}`),
    ).toBe(0);
    expect(out).toContain(`${old}: valid (TEST MODE: no money moved)`);
    expect(out).toContain(`Replaced by ${now}`);
    expect(out).toContain(`Replaces    ${first.id}`);
    expect(out).toContain('Refund      10.00 USD');
    out = '';
    expect(await quittance(`verify ${now} --jwks ${jwks} ${payee} --test --json`)).toBe(0);
    expect(JSON.parse(out)).toEqual(second.claims);

    expect(await quittance(`verify ${now} --jwks ${jwks} ${payee}`)).toBe(1);
    expect(err).toContain('test mode');
    expect(await quittance(`verify ${bad} --jwks ${jwks} ${payee} --test`)).toBe(1);
    expect(await quittance(`verify ${now} --jwks ${jwks} ${payee} --test --issuer https://other.example`)).toBe(1);
    expect(await quittance(`verify ${now} --jwks ${now} ${payee} --test`)).toBe(2);
    expect(await quittance(`verify ${now} --jwks ${jwks} --test --payee 0x${'1'.repeat(40)}`)).toBe(1);
    expect(err).toContain('money to eip155:8453:0x5290');
    expect(await quittance(`verify ${now} --jwks ${jwks} --test`)).toBe(2);
    expect(await quittance(`verify ${now}`)).toBe(2);
    expect(await quittance(`verify --jwks ${jwks}`)).toBe(2);
    expect(await quittance(`verify ${join(home, 'none.jwt')} --jwks ${jwks} ${payee}`)).toBe(1);
  } finally {
    globalThis.fetch = fetch;
  }
});

test('listen forwards each event to a local receiver, signed with the secret it shows', async () => {
  const received: { body: Buffer; signature: string }[] = [];
  let arrived: () => void = () => {};
  const paid = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  await using server = await serve(async (request, response) => {
    const body = await buffer(request);
    received.push({ body, signature: String(request.headers['service-signature']) });
    response.writeHead(202).end();
    if (JSON.parse(body.toString()).type === 'payment.paid') arrived();
  });

  const stop = new AbortController();
  const [ready, printed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const listening = quittance(`listen --json --forward-to ${server.url}/hook`, {
    signal: stop.signal,
    onOut: (text) => {
      if (text.includes('Ready')) ready.resolve();
      if (text.includes('"payment.paid"')) printed.resolve();
    },
  });
  await ready.promise;
  await quittance('trigger payment.paid');
  await Promise.all([paid, printed.promise]);
  stop.abort();
  expect(await listening).toBe(0);

  const secret = /secret is (whsec_\S+)/.exec(err)?.[1] as string;
  for (const { body, signature } of received) await constructEvent(body, signature, secret);
  expect(received.map(({ body }) => JSON.parse(body.toString()).type)).toEqual([
    'payment.created',
    'payment.pending',
    'payment.paid',
  ]);
  const lines = out
    .split('\n')
    .filter((line) => line.startsWith('{"event"'))
    .map((line) => JSON.parse(line));
  expect(lines.at(-1)).toMatchObject({ event: { type: 'payment.paid' }, answer: 202 });
});

test('the signing secret of listen stays the same', async () => {
  await quittance('listen --print-secret');
  const first = out;
  out = '';
  await quittance('listen --print-secret');
  expect(first).toMatch(/^whsec_\S+\n$/);
  expect(out).toBe(first);
});

test.each([
  'payment.created',
  'payment.pending',
  'payment.paid',
  'payment.failed',
  'payment.refund_required',
  'payment.refunded',
  'payment.routing',
  'payment.settling',
  'payment.expired',
])('trigger %s makes the event happen to a real session', async (type) => {
  expect(await quittance(`trigger ${type} --json`), err).toBe(0);
  const session = JSON.parse(out) as { id: string };
  const events = await app.merchant.get('/v1/events', { limit: 20 });
  expect(
    events.data
      .filter((event: { data: { session: string } }) => event.data.session === session.id)
      .map((event: { type: string }) => event.type),
  ).toContain(type);
});

test('events lists the newest, and resend delivers one again', async () => {
  const endpoint = await app.merchant.createEndpoint({ url: 'http://127.0.0.1:9/closed', events: ['payment.created'] });
  await quittance('trigger payment.created');
  out = '';
  expect(await quittance('events --type payment.created --limit 1 --json')).toBe(0);
  const event = JSON.parse(out) as { id: string };
  out = '';
  expect(await quittance(`events resend ${event.id} --endpoint ${endpoint.id}`), err).toBe(0);
  expect(out).toContain('dlv_');
});

test('events resend --forward-to sends it to a receiver on this machine, for libraries of Standard Webhooks too', async () => {
  const received: { body: string; headers: Record<string, string> }[] = [];
  const server = await serve(async (request, response) => {
    received.push({ body: await text(request), headers: request.headers as Record<string, string> });
    response.writeHead(204).end();
  });
  await quittance('trigger payment.paid');
  await quittance('listen --print-secret');
  const secret = /whsec_\S+/.exec(out)?.[0] as string;
  out = '';
  await quittance('events --type payment.paid --limit 1 --json');
  const event = JSON.parse(out) as { id: string };

  expect(await quittance(`events resend ${event.id} --forward-to ${server.url}/hook`), err).toBe(0);
  await server.stop();
  expect(await quittance(`events resend ${event.id} --forward-to http://127.0.0.1:9/hook`)).toBe(1);

  expect(out).toContain('→ 204');
  const [{ body, headers }] = received as [(typeof received)[number]];
  expect(await constructEvent(body, headers['service-signature'], secret)).toEqual(event);
  expect(new Webhook(secret).verify(body, headers)).toEqual(event);
});

test('a profile that cannot be read is named', async () => {
  await mkdir(join(home, '.config/quittance'), { recursive: true });
  await writeFile(join(home, '.config/quittance/profile.json'), '{');
  expect(await quittance('events', { key: null })).toBe(1);
  expect(err).toMatch(/profile\.json cannot be read/);
});

test('trigger pays by the coin of the default wallet, whichever it is', async () => {
  const other = await app.newMerchant();
  await other.post('/v1/payout-wallets', {
    asset: 'SOL',
    network: 'solana',
    address: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
  });
  expect(await quittance('trigger payment.pending --json', { key: other.testKey }), err).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ status: 'pending' });
});

function logIn(email: string, url = ''): Promise<number> {
  const stdin = new PassThrough();
  return quittance(`login --email ${email} ${url}`, {
    key: null,
    stdin,
    onOut: (text) => {
      if (text.includes('six-character code'))
        void newestCode(app.ctx, box, email).then((code) => stdin.write(`${code}\n`));
    },
  });
}

test('login by mail saves a test key that only its owner can read, and keys are managed without being shown', async () => {
  expect(await logIn('cli@merchant.example'), err).toBe(0);
  const path = join(home, '.config/quittance/profile.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);

  expect(await quittance('keys create --live --label shop', { key: null }), err).toBe(0);
  expect(await quittance('keys --json', { key: null })).toBe(0);
  const listed = out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { id: string; livemode: boolean });
  const live = listed.find(({ livemode }) => livemode)?.id as string;
  expect(await quittance(`keys rotate ${live}`, { key: null }), err).toBe(0);
  const { key, live_key } = JSON.parse(await readFile(path, 'utf8')) as { key: string; live_key: string };
  expect(key).toMatch(/^sk_test_/);
  expect(live_key).toMatch(/^sk_live_/);
  expect(await quittance('events --live', { key: null }), err).toBe(0);
  expect(await quittance('trigger payment.paid --live', { key: null })).toBe(2);
  expect(err).toContain('in test mode only');
  expect(out + err).not.toMatch(/sk_(live|test)_[0-9A-Za-z]{10}/);
  expect(await quittance('keys --json', { key: null })).toBe(0);
});

test('login keeps the live key of its own account on its own server only', async () => {
  const liveKey = async () =>
    JSON.parse(await readFile(join(home, '.config/quittance/profile.json'), 'utf8')).live_key as string | undefined;
  const elsewhere = `--url ${app.url.replace('127.0.0.1', 'localhost')}`;
  for (const [email, url, isKept] of [
    ['cli@merchant.example', '', true],
    ['other@merchant.example', '', false],
    ['cli@merchant.example', elsewhere, false],
  ] as const) {
    await logIn('cli@merchant.example');
    expect(await quittance('keys create --live', { key: null }), err).toBe(0);
    const before = await liveKey();
    expect(await logIn(email, url), err).toBe(0);
    expect(await liveKey()).toBe(isKept ? before : undefined);
  }
});

test('login without input names the question that got no answer', async () => {
  const stdin = new PassThrough();
  stdin.end();
  expect(await quittance('login', { key: null, stdin })).not.toBe(0);
  expect(err).toContain('No answer to "Email:".');
});

test('the operator invites a merchant, lists and revokes invitations, and another account cannot', async () => {
  const logInAs = async (token: string) => {
    await mkdir(join(home, '.config/quittance'), { recursive: true });
    await writeFile(join(home, '.config/quittance/profile.json'), JSON.stringify({ token }));
  };
  await logInAs(app.merchant.loginToken);
  expect(
    await quittance('invitations create --mail new@merchant.example --label Second --days 2 --json', { key: null }),
    err,
  ).toBe(0);
  const made = JSON.parse(out) as { id: string; url: string };
  expect(made.url).toContain(`${app.url.replace('127.0.0.1', 'localhost')}/dashboard/sign-in#invitation=`);
  out = '';
  expect(await quittance('invitations', { key: null })).toBe(0);
  expect(out).toMatch(new RegExp(`${made.id} {2}pending .*Second`));
  expect(await quittance(`invitations revoke ${made.id}`, { key: null }), err).toBe(0);
  expect(await quittance('invitations create --days 40', { key: null })).toBe(2);

  await logInAs((await app.newMerchant()).loginToken);
  expect(await quittance('invitations', { key: null })).toBe(3);
  expect(err).toContain("Only the operator's account");
});

test.each([
  ['nonsense', 2],
  ['trigger', 2],
  ['trigger payment.eaten', 2],
  ['trigger payment.paid --bogus', 2],
  ['events resend', 2],
  ['events --limit x', 2],
  ['listen --forward-to nowhere', 2],
  ['keys', 2],
  ['events resend evt_000000000000000000000000', 1],
  ['events --key sk_test_wrong', 3],
  ['events --url http://127.0.0.1:9', 4],
  ['login --email a@merchant.example --url http://127.0.0.1:9', 4],
  ['listen --url http://127.0.0.1:9', 4],
  ['events --url localhost:3000', 2],
  ['events --key whsec_abc', 2],
  ['events --live', 2],
  ['listen --key sk_test_wrong', 3],
  ['trigger payment.paid --key sk_live_wrong', 2],
  ['help', 0],
  ['help listen', 0],
  ['listen --help', 0],
  ['-h', 0],
  ['--version', 0],
])(
  '%s ends with %i',
  async (line, code) => {
    expect(await quittance(line), out + err).toBe(code);
    if (code === 0) expect(out).not.toBe('');
    else expect(err).not.toBe('');
  },
  30_000,
);

test('without a key, or with the example of a guide, it says what to do', async () => {
  expect(await quittance('events', { key: null })).toBe(2);
  expect(err).toContain('quittance login');
  expect(await quittance('listen --print-secret', { key: 'sk_test_…' })).toBe(2);
  expect(err).toContain('A key cannot contain “…”.');
});
