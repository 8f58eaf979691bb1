import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Address } from 'viem';
import { startAnvil, type TestChain } from '../../support/anvil.ts';
import { startReceiver } from '../../support/receiver.ts';
import { QUIET } from '../../support/settings.ts';
import { haveSystemPackages, SKIPPED_EXIT_CODE } from '../../support/system-packages.ts';
import { type Group, type RestoreVerdict, judge, table } from './judge.ts';
import { keepEmbedded, keepPostgres } from './keepers.ts';
import { OWN_POSTGRES_NEEDS, OwnPostgres } from './own-postgres.ts';
import { Service } from './service.ts';
import { type Order, ownerOf, Shop, type Wallet } from './shop.ts';

/**
 * Restores an older backup of a real service while customers pay on a local chain, as an operator would do it, and judges
 * every payment:
 *
 *   npm run program -- restore-drill [--payments 200] [--wait 65] [--postgres]
 *
 * With `--postgres`, the database is a PostgreSQL with continuous archiving, and the commands of docs/backup.md restore it to
 * the point in time of the backup; afterwards it is restored once more, from the last transaction of a lost machine.
 * `--wait` is how many seconds pass between the failure and the repeats. An exact amount that is sent a minute or more before
 * its session does not prove the payment, so such money is listed for a person; below a minute the service finds it by itself.
 */
const { values } = parseArgs({
  options: {
    payments: { type: 'string', default: '200' },
    wait: { type: 'string', default: '65' },
    postgres: { type: 'boolean', default: false },
  },
});
const CONFIRMATIONS = 2;
const PAID_TIMEOUT_MS = 120_000;
const share = (percent: number) => Math.max(1, Math.round((Number(values.payments) * percent) / 100));

const say = (line: string) => void process.stderr.write(`${Math.round(performance.now() / 1000)} s  ${line}\n`);

if (values.postgres && !haveSystemPackages(OWN_POSTGRES_NEEDS)) process.exit(SKIPPED_EXIT_CODE);
await using stack = new AsyncDisposableStack();
const chain = stack.use(await startAnvil({ chainId: 4001 }));
const token = await chain.deployToken();
const receiver = await startReceiver();
stack.defer(() => receiver.close());
const dataDir = await mkdtemp(join(tmpdir(), 'quittance-restore-drill-'));
stack.defer(() => rm(dataDir, { recursive: true, force: true }));
const postgres = values.postgres ? await OwnPostgres.start() : undefined;
stack.defer(() => postgres?.stop());
const service = await Service.prepare({
  ...settings(chain, token),
  ...(postgres && { DATABASE_URL: postgres.url }),
});
stack.defer(() => service.end('SIGTERM'));
const shop = new Shop(service.url);
const keeper = postgres ? keepPostgres(postgres) : keepEmbedded(service, dataDir);

await service.start();
await shop.logIn(ownerOf(chain));
await shop.call('/webhook-endpoints', { url: receiver.url, events: ['payment.paid'] });
// An account that logs in with a wallet is paid there.
const [wallet]: Wallet[] = await shop.call('/payout-wallets');
if (!wallet) throw new Error('the account has no payout wallet');

const before = await orders('paid before the backup', share(15));
const between = await orders('known to the backup, paid after it', share(15));
const chosen = await orders('known to the backup, chosen and paid after it', share(10), { isChosen: false });
const down = await orders('known to the backup, paid while down', share(20));
await pay(before.orders);
await paid(before.orders);
say('backing up while the service runs');
await keeper.backUp();

const byReference = await orders('made after the backup, paid by reference', share(15));
const byAmount = await orders('made after the backup, paid by amount', share(10));
for (const order of chosen.orders) order.payment = await shop.choose(order.sessionId, order);
await pay([...between.orders, ...chosen.orders]);
await pay(half(byReference.orders, 0), { byReference: true });
await pay(half(byAmount.orders, 0));
await paid([...between.orders, ...chosen.orders, ...half(byReference.orders, 0), ...half(byAmount.orders, 0)]);
const receivedBefore = receiver.received.length;

say('killing the service');
await service.end('SIGKILL');
await pay([...down.orders, ...half(byAmount.orders, 1)]);
await pay(half(byReference.orders, 1), { byReference: true });
say(`${values.wait} s pass`);
await pause(Number(values.wait) * 1000);

const beganAt = performance.now();
say('restoring');
await keeper.restore();
const restoredMs = performance.now() - beganAt;
await service.start();
await paid([...between.orders, ...down.orders]);
const caughtUpMs = performance.now() - beganAt;
say('repeating the sessions that the backup does not know');
let sameIds = 0;
let sameAmounts = 0;
for (const order of [...byReference.orders, ...byAmount.orders]) {
  sameIds += Number((await shop.repeat(order)) === order.sessionId);
  sameAmounts += Number((await shop.choose(order.sessionId, order)).amount === order.payment.amount);
}
const after = await orders('made and paid after the restore', share(15));
await pay(after.orders);
await paid(after.orders);
const check = await checkUntilRead();
process.stdout.write(check);
const assigned = await assignByHand(check, [...byAmount.orders, ...chosen.orders]);
const groups = [before, between, chosen, down, byReference, byAmount, after];
await paid(groups.flatMap((group) => group.orders));

const judged: RestoreVerdict = judge(groups, receiver.received, await stored());
process.stdout.write(`\n${table(judged.rows)}\n\n`);
const figures = {
  payments: groups.reduce((sum, group) => sum + group.orders.length, 0),
  lost: judged.lost,
  paidTwice: judged.paidTwice,
  sameIds: `${sameIds} of ${byReference.orders.length + byAmount.orders.length}`,
  sameAmounts: `${sameAmounts} of ${byReference.orders.length + byAmount.orders.length}`,
  assignedByAPerson: assigned,
  eventsSentAgain: judged.repeated,
  eventsUnderAnotherId: judged.renamed,
  webhooksBeforeTheFailure: receivedBefore,
  backupBytes: await keeper.bytes(),
  restoreSeconds: Number((restoredMs / 1000).toFixed(1)),
  knownPaymentsSettledAfterSeconds: Number((caughtUpMs / 1000).toFixed(1)),
};
console.log(JSON.stringify(figures, null, 2));
if (judged.lost + judged.paidTwice + judged.renamed > 0) process.exitCode = 1;
if (postgres) await restoreToTheEnd(postgres);

/** The machine of the database is lost; its archive and the newest files of its log are left. */
async function restoreToTheEnd(lost: OwnPostgres): Promise<void> {
  const before = [...(await stored())].toSorted();
  lost.kill();
  await service.end('SIGKILL');
  say('restoring to the last transaction');
  await lost.restore();
  await service.start();
  const isEqual = JSON.stringify([...(await stored())].toSorted()) === JSON.stringify(before);
  console.log(
    `restored to the last transaction: ${before.length} payments are ${isEqual ? 'as they were' : 'NOT as they were'}`,
  );
  if (!isEqual) process.exitCode = 1;
}

async function orders(name: string, many: number, { isChosen = true } = {}): Promise<Group> {
  const made: Order[] = [];
  for (let at = 0; at < many; at += 1) {
    const of = [`${name} ${at}`, wallet as Wallet, (10 + at / 2).toFixed(2)] as const;
    made.push(await (isChosen ? shop.order(...of) : shop.unchosen(...of)));
  }
  say(`${many} ${name}`);
  return { name, orders: made };
}

/** By the exact amount, or by a round one that only the reference identifies. */
async function pay(some: readonly Order[], { byReference = false } = {}): Promise<void> {
  const [, , , , , , , , , payer] = chain.accounts;
  for (const order of some) {
    const due = BigInt((byReference ? `${order.body.amount}0000` : order.payment.amount).replace('.', ''));
    order.txHash = await chain.transferErc20({
      token,
      to: order.payment.address as Address,
      amount: due,
      from: payer?.address,
      mine: false,
      ...(byReference && { tag: Buffer.from((order.payment.tag ?? '').slice(2), 'hex') }),
    });
  }
  await chain.mine(1 + CONFIRMATIONS);
}

/** Waits until the API shows all of them as paid, at most for a limit; then the judge reports what is wrong. */
async function paid(some: readonly Order[]): Promise<void> {
  const endAt = performance.now() + PAID_TIMEOUT_MS;
  while (performance.now() < endAt) {
    const states = await stored();
    if (some.every(({ sessionId }) => states.get(sessionId)?.status === 'paid')) break;
    await pause(250);
  }
}

async function stored(): Promise<Map<string, { id: string; status: string; tx_hashes: string[] }>> {
  const all = new Map();
  for (let cursor = ''; ; ) {
    const page = await shop.page(`/payments?limit=100${cursor && `&cursor=${cursor}`}`);
    for (const payment of page.data) all.set(payment.session, payment);
    if (!page.pagination.has_more) return all;
    cursor = page.pagination.cursor;
  }
}

async function checkUntilRead(): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const { code, output } = await service.command('restore-check', ...keeper.checkOptions);
    if (code === 0 || attempt === 5) return output;
    await pause(1_000);
  }
}

/** Assigns like the operator: a candidate with the same order and amount gets the money. */
async function assignByHand(list: string, expected: readonly Order[]): Promise<number> {
  const known = new Set(expected.map(({ key }) => key));
  let assigned = 0;
  for (const [, transfer, payment, order] of list.matchAll(
    /^ {2}(tr_\w+) .*\n {4}the exact amount of (pay_\w+), order (".*"):/gm,
  )) {
    if (!known.has(JSON.parse(order ?? '""'))) continue;
    await shop.call(`/transfers/${transfer}/assign`, { payment });
    assigned += 1;
  }
  return assigned;
}

function half<T>(some: readonly T[], which: 0 | 1): T[] {
  return some.filter((_, at) => at % 2 === which);
}

function settings(local: TestChain, usdc: string): Record<string, string> {
  return {
    ...QUIET,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    RPC_ETHEREUM_URLS: local.url,
    CHAIN_ID_ETHEREUM: String(local.chainId),
    TOKEN_USDC_ETHEREUM: usdc,
    CONFIRMATIONS_ETHEREUM: String(CONFIRMATIONS),
  };
}
