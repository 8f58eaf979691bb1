import { parseArgs } from 'node:util';
import { findAsset } from '@quittance/contract';
import type { Context } from '../context.ts';
import { formatUnits } from '../platform/money.ts';
import { findLoose, reclaimSince, reread } from '../settlement/restored.ts';
import {
  findPaidByOlderMoney,
  findUndecided,
  type LooseTransfer,
  type PaidByOlderMoney,
  type UnpaidPayment,
} from '../settlement/restored-store.ts';
import { findRestorePoint } from './restore.ts';
import { UsageError, print } from './print.ts';
import { withApp } from './with-app.ts';

const MAX_UNDECIDED = 1_000;
const MAX_OLDER_MONEY = 10_000;

/**
 * `quittance-server restore-check [--from <time>]`: after a restore, reads every network again from the time of the
 * backup, attributes transfers whose session exists again, and lists what a person must decide. Safe to repeat while
 * the service runs.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { from: { type: 'string' } } });
  if (values.from !== undefined && Number.isNaN(Date.parse(values.from)))
    throw new UsageError('--from must be the time of the backup, like 2026-01-31T12:00:00Z.');

  await withApp(async ({ ctx }) => {
    const from = values.from === undefined ? await findRestorePoint(ctx.config.dataDir) : new Date(values.from);
    if (!from)
      throw new UsageError(
        '--from is required: `quittance-server restore` has restored nothing in this data directory.',
      );
    print(`Since ${from.toISOString()}:`);
    const behind = await readNetworks(ctx, from);
    const { length: reclaimed } = await reclaimSince(ctx, from);
    print(`${reclaimed} ${reclaimed === 1 ? 'transfer' : 'transfers'} found the payment whose reference they carry.`);
    const loose = await listUnattributed(ctx, from);
    const entries = loose + (await listOlderMoney(ctx, from)) + (await listUndecided(ctx));
    print(
      entries === 0
        ? 'Nothing needs a person.'
        : `${entries} ${entries === 1 ? 'entry needs' : 'entries need'} a person.`,
    );
    if (behind === 0) return;
    print('A network is not read to its end: keep the service running, and run this again.');
    process.exitCode = 1;
  });
}

async function readNetworks(ctx: Context, from: Date): Promise<number> {
  let unread = 0;
  for (const network of ctx.chains.keys()) {
    try {
      const { found, setAside, behind } = await reread(ctx, network, from);
      unread += Number(behind > 0n || setAside > 0);
      print(`${network}: ${found} new, the watcher is ${behind} blocks behind`);
      if (setAside > 0) print(`${network}: ${setAside} transactions could not be stored: see the log`);
    } catch (error) {
      // One unreachable network must not hide the results of the others.
      unread += 1;
      print(`${network}: could not be read: ${(error as Error).message}`);
    }
  }
  return unread;
}

/** Transfers without a payment. A session made after the backup was lost, or there never was one. */
async function listUnattributed(ctx: Context, from: Date): Promise<number> {
  const loose = await findLoose(ctx, from);
  if (loose.length > 0) print('Transfers without a payment. Assign them, or mark them as handled:');
  for (const { transfer, candidates } of loose) {
    print(`  ${describe(transfer)}`);
    for (const candidate of candidates) print(`    ${hint(candidate)}`);
  }
  return loose.length;
}

function describe({ id, network, asset, amountUnits, address, txHash, blockTime, reason }: LooseTransfer): string {
  const decimals = findAsset(asset, network)?.decimals ?? 0;
  return (
    `${id}  ${blockTime.toISOString()}  ${formatUnits(amountUnits, decimals)} ${asset} on ${network} to ` +
    `${address}, ${reason ?? 'not attributed yet'}, ${txHash}`
  );
}

/** An amount is not proof: another customer's session may have had it before the restore. */
function hint({ id, orderId }: UnpaidPayment): string {
  return `the exact amount of ${id}${orderId ? `, order ${JSON.stringify(orderId)}` : ''}: assign it if the order agrees`;
}

/** Read from the database: the service's own job has usually attributed the money before this command does. */
async function listOlderMoney({ db }: Context, from: Date): Promise<number> {
  const paid = await findPaidByOlderMoney(db, from, MAX_OLDER_MONEY);
  if (paid.length > 0)
    print(
      'Payments with money that is older than their session. Look for a refund or a canceled order before you fulfill them:',
    );
  for (const one of paid) print(`  ${describeOlder(one)}`);
  return paid.length;
}

function describeOlder({ id, orderId, createdAt, transferId, txHash, blockTime }: PaidByOlderMoney): string {
  return (
    `${id}${orderId ? `, order ${JSON.stringify(orderId)}` : ''}, created ${createdAt.toISOString()}, by ` +
    `${transferId} of ${blockTime.toISOString()}, ${txHash}`
  );
}

async function listUndecided({ db }: Context): Promise<number> {
  const undecided = await findUndecided(db, MAX_UNDECIDED);
  if (undecided.length > 0)
    print(
      'Payments that wait for a decision. It may have been made after the backup, and a refund may have been sent:',
    );
  for (const { id, endedAt } of undecided) print(`  ${id}  ${endedAt?.toISOString() ?? ''}`);
  return undecided.length;
}
