import { execFileSync } from 'node:child_process';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Address, getAddress, toHex } from 'viem';
import { startAnvil } from '../../support/anvil.ts';
import { readBlock, readBlocks } from '../../support/guides.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { haveSystemPackages, SKIPPED_EXIT_CODE } from '../../support/system-packages.ts';
import { until } from '../archive/smoke.ts';
import { makeMachine } from './machine.ts';
import { createClient } from './client.ts';

/**
 * Follows docs/guides/on-debian.md from a bare Debian to a checkout that is paid in live mode behind TLS: the blocks of
 * the guide as they are printed, in order, with the reader's own name, mail server and provider. Then the machine starts
 * again by itself.
 *
 *     npm run program -- go-live                     makes the release first
 *     npm run program -- go-live --short             uses the one in .cache/release
 */
const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const MAX_COMMANDS = 12;
/** Caddy signs for such a name with a certificate authority of its own. */
const NAME = 'pay.localhost';
const BASE = 8453;
const PORTS = [80, 443, 3000];
const OTHER_NETWORKS = ['ETHEREUM', 'POLYGON', 'ARBITRUM', 'SOLANA'];
const ROOT_CERTIFICATE = '/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt';
const EMAIL = 'operator@shop.example';
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const release = join(root, '.cache/release');
const say = (line: string) => void process.stderr.write(`${Math.round(performance.now() / 1000)} s  ${line}\n`);

await skipUnlessPossible();
await using stack = new AsyncDisposableStack();
if (!values.short || !existsSync(release)) {
  say('assembling the release');
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/release.ts'], { cwd: root });
}
const base = stack.use(await startAnvil({ chainId: BASE, blockTimeSeconds: 1 }));
const token = await base.deployToken();
const post = await startMailServer();
stack.defer(post.close);

const settings = (await readBlock('on-debian.md', 'test -s /etc/quittance/env'))
  .replace(/^SMTP_URL=.*$/m, `SMTP_URL=${post.url}`)
  .replace(/^RPC_BASE_URLS=.*$/m, `RPC_BASE_URLS=${base.url}`)
  // Only this machine is reached from here, and only Base is on it.
  .replace(
    /^END$/m,
    [...OTHER_NETWORKS.map((name) => `RPC_${name}_URLS=,`), `TOKEN_USDC_BASE=${token}`, 'END'].join('\n'),
  );
const commands = (await readBlocks())
  .filter(({ guide }) => guide === 'on-debian.md')
  .flatMap(({ text }) => text.replaceAll(/<<END\n[\s\S]*?^END$/gm, '').match(/^(?!#).+$/gm) ?? []);
assert(commands.length <= MAX_COMMANDS, `${commands.length} commands, at most ${MAX_COMMANDS}`);

say('making a bare Debian 12');
const machine = stack.use(makeMachine(NAME));
const sums = readFileSync(join(release, 'SHA256SUMS'), 'utf8');
for (const name of ['SHA256SUMS', /\S+\.tar\.gz/.exec(sums)?.[0] as string])
  copyFileSync(join(release, name), join(machine.folder, 'root', name));
await machine.boot();
for (const name of ['node', 'caddy', 'psql'])
  assert.equal(existsSync(join(machine.folder, 'usr/bin', name)), false, 'it is bare');

const install = (await readBlock('on-debian.md', 'export NAME=')).replace('pay.example.com', NAME);
await machine.shell(install);
say('installed');
const named = `export NAME=${NAME}\n`;
await machine.shell(named + settings);
await machine.shell(named + (await readBlock('on-debian.md', 'sed "s/')));
const [linkCommand = '', doctorCommand = ''] = (await readBlock('on-debian.md', 'grep -m 1 -o')).split('\n');
const link = (await machine.shell(linkCommand)).trim();
say('running, and its log has the setup link');

const client = createClient(NAME, () => readFileSync(join(machine.folder, ROOT_CERTIFICATE)));
await until(async () => (await client.get('/healthz')).status === 200);
const report = await machine.shell(`export NODE_EXTRA_CA_CERTS=${ROOT_CERTIFICATE}\n${doctorCommand}`);
assert.match(report, new RegExp(`ok +PUBLIC_URL +https://${NAME} leads to the service, which sees that a proxy`));
assert.match(report, /ok +mail /);
say('the doctor finds nothing that fails');

const session = await becomeMerchant(link);
const page = await client.get(`/checkout/${session}`);
assert.match(page.body, /49\.00/);
assert.doesNotMatch(page.body, /test-bar/, 'it is in live mode');
say(`a checkout in live mode is open at https://${NAME}/checkout/…`);
await pay(session);
say('it was paid on the chain');

await machine.shutDown();
await machine.boot();
await until(async () => (await client.get(`/v1/public/checkout/sessions/${session}`)).data?.status === 'paid');
say('the machine was started again, and the service with it');
console.log(`${commands.length} commands from a bare Debian 12 to a checkout that is paid in live mode behind TLS`);

async function becomeMerchant(setupLink: string): Promise<string> {
  const invitation = setupLink.split('#invitation=')[1];
  assert(setupLink.startsWith(`https://${NAME}/`) && invitation, setupLink);
  await client.post('/v1/auth/email/start', { email: EMAIL, invitation });
  const code = (await post.next()).subject?.split(' ').at(-1);
  const { session_token: login } = await client.post('/v1/auth/email/verify', { email: EMAIL, code });
  const { secret } = await client.post('/v1/api-keys', { mode: 'live' }, login);
  const address = getAddress(toHex(randomBytes(20)));
  await client.post('/v1/payout-wallets', { asset: 'USDC', network: 'base', address }, login);
  const { id, livemode } = await client.post('/v1/checkout/sessions', { amount: '49.00' }, secret);
  assert.equal(livemode, true);
  return id;
}

async function pay(id: string): Promise<void> {
  const path = `/v1/public/checkout/sessions/${id}`;
  const { payment } = await client.post(`${path}/pay`, { pay_asset: 'USDC', pay_network: 'base' });
  const amount = BigInt(payment.amount.replace('.', ''));
  await base.transferErc20({ token, to: payment.address as Address, amount });
  await until(async () => (await client.get(path)).data?.status === 'paid');
}

async function skipUnlessPossible(): Promise<void> {
  if (process.getuid?.() !== 0) {
    process.stderr.write('\nSKIPPED: only root can make a bare Debian, so nothing was shown.\n\n');
    process.exit(SKIPPED_EXIT_CODE);
  }
  const needs = { '/usr/sbin/debootstrap': 'debootstrap', '/usr/bin/systemd-nspawn': 'systemd-container' };
  if (!haveSystemPackages(needs)) process.exit(SKIPPED_EXIT_CODE);
  for (const port of PORTS)
    if (await isTaken(port)) {
      process.stderr.write(`\nSKIPPED: port ${port} of this machine is taken, so nothing was shown.\n\n`);
      process.exit(SKIPPED_EXIT_CODE);
    }
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
