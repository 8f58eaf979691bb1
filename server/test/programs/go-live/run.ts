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
import { documentedCode } from '../../support/documented-code.ts';
import { readBlock, readBlocks } from '../../support/guides.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { haveSystemPackages, SKIPPED_EXIT_CODE } from '../../support/system-packages.ts';
import { until } from '../archive/smoke.ts';
import { makeMachine } from './machine.ts';
import { createClient } from './client.ts';

/**
 * Follows docs/guides/on-debian.md from a bare Debian to a checkout that is paid in live mode behind TLS: the blocks of
 * the guide as they are printed, in order, with the reader's own name, mail server and provider. Then the machine starts
 * again by itself, the backup of its timer is restored and the release replaced, by the commands of the documents, and an
 * alarm is mailed.
 *
 *     npm run program -- go-live                     makes the release first
 *     npm run program -- go-live --short             uses the one in .cache/release
 */
const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const MAX_COMMANDS = 12;
/** Caddy signs for such a name with a certificate authority of its own. */
const NAME = 'pay.localhost';
const BASE = 8453;
const MONITORING = 9464;
const PORTS = [80, 443, 3000, MONITORING];
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
  .replace(/^END$/m, 'PRICES=fixed\nEND')
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
const archive = /\S+\.tar\.gz/.exec(sums)?.[0] as string;
for (const name of ['SHA256SUMS', archive]) copyFileSync(join(release, name), join(machine.folder, 'root', name));
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
await untilServed();
const report = await machine.shell(`export NODE_EXTRA_CA_CERTS=${ROOT_CERTIFICATE}\n${doctorCommand}`);
assert.match(report, new RegExp(`ok +PUBLIC_URL +https://${NAME} leads to the service`));
assert.match(report, /ok +mail /);
say('the doctor finds nothing that fails');
for (const path of ['/metrics', '/readyz'])
  assert.equal((await fetch(`http://127.0.0.1:${MONITORING}${path}`)).status, 200);
assert.equal((await client.get('/metrics')).status, 404);
assert.equal((await client.get('/readyz')).status, 200);

const key = await becomeMerchant(link);
const session = await openCheckout();
const page = await client.get(`/checkout/${session}`);
assert.match(page.body, /49\.00/);
assert.doesNotMatch(page.body, /test-bar/, 'it is in live mode');
say(`a checkout in live mode is open at https://${NAME}/checkout/…`);
await pay(await choose(session));
await untilPaid(session);
say('it was paid on the chain');

await machine.shutDown();
await machine.boot();
await untilPaid(session);
say('the machine was started again, and the service with it');
await restoreBackup();
await replaceRelease();
await loseProvider();
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
  return secret;
}

async function openCheckout(): Promise<string> {
  const { id, livemode } = await client.post('/v1/checkout/sessions', { amount: '49.00' }, key);
  assert.equal(livemode, true);
  return id;
}

interface Choice {
  amount: string;
  address: Address;
}

async function choose(id: string): Promise<Choice> {
  const choice = { pay_asset: 'USDC', pay_network: 'base' };
  return (await client.post(`/v1/public/checkout/sessions/${id}/pay`, choice)).payment;
}

async function pay({ amount, address }: Choice): Promise<void> {
  await base.transferErc20({ token, to: address, amount: BigInt(amount.replace('.', '')) });
}

async function untilServed(): Promise<void> {
  await until(async () => (await client.get('/healthz')).status === 200);
}

async function untilPaid(id: string): Promise<void> {
  await until(async () => (await client.get(`/v1/public/checkout/sessions/${id}`)).data?.status === 'paid');
}

/** What was paid before the backup is paid after the restore, and so is what the backup knew as open. */
async function restoreBackup(): Promise<void> {
  assert.match(await machine.shell('systemctl list-timers --no-legend quittance-backup.timer'), / left /);
  const old = '/var/backups/quittance/old';
  await machine.shell(`mkdir -p /var/backups/quittance; touch --date '15 days ago' ${old}`);
  const open = await openCheckout();
  const choice = await choose(open);
  await machine.shell('systemctl start quittance-backup');
  const backups = (await machine.shell('find /var/backups/quittance -type f -perm 600')).trim().split('\n');
  assert.equal(backups.length, 1, backups.join());
  assert.equal(existsSync(join(machine.folder, old)), false, 'it is older than 14 days');
  const lost = await openCheckout();
  await pay(choice);
  await untilPaid(open);
  const printed = documentedCode('backup.md', 'sh', 'Restore on Debian');
  await machine.shell(printed.replace(/\/var\/backups\S+/, backups[0] as string));
  for (const id of [session, open]) await untilPaid(id);
  assert.equal((await client.get(`/v1/public/checkout/sessions/${lost}`)).status, 404, 'it is the backup');
  say('the backup of the timer was restored: what was paid before it is paid, and what was paid after it again');
}

/** By the release that is there, which takes the place of a newer one. */
async function replaceRelease(): Promise<void> {
  const printed = documentedCode('upgrading.md', 'sh', 'Upgrade')
    .replaceAll('quittance-server-0.2.0-linux-x64', archive.replace('.tar.gz', ''))
    .replace(/^.* migrate\)$/m, '');
  await machine.shell(printed);
  await untilServed();
  const paid = await openCheckout();
  await pay(await choose(paid));
  await untilPaid(paid);
  assert.equal(existsSync(join(machine.folder, 'opt/quittance.previous')), true);
  say('the release was replaced');
}

/** The only one, while a customer can pay: its operator gets a mail. */
async function loseProvider(): Promise<void> {
  await choose(await openCheckout());
  await base.stop();
  let subject = '';
  while (!subject.startsWith('Alarm')) subject = (await post.next()).subject ?? '';
  assert.equal(subject, 'Alarm: network_stalled (base)');
  say('the provider of the network was lost, and the operator got a mail');
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
