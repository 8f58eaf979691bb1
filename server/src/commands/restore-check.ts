import { parseArgs } from 'node:util';
import { findAsset, RECEIVE_NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../context.ts';
import { formatUnits } from '../platform/money.ts';
import { findWatchedAddresses } from '../settlement/reading/watched-addresses.ts';
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
import { whatIsMissing } from './rescan.ts';
import { withApp } from './with-app.ts';

const MAX_LISTED = 1_000;
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

/** Reads each network again. Returns how many were not read to their end. */
export async function readNetworks(ctx: Context, from: Date): Promise<number> {
  let unread = 0;
  for (const network of await findNetworksToRead(ctx)) {
    try {
      const { found, behind, ...rest } = await reread(ctx, network, from);
      // Ether from contracts may have no provider that shows it, now or later.
      unread += Number(behind > 0n || rest.setAside > 0 || rest.readByOne > 0);
      print(`${network}: ${found} new, the watcher is ${behind} blocks behind`);
      for (const sentence of whatIsMissing(rest)) print(`${network}: ${sentence}`);
    } catch (error) {
      // One unreachable network must not hide the results of the others.
      unread += 1;
      print(`${network}: could not be read: ${(error as Error).message}`);
    }
  }
  return unread;
}

/** Those with providers, and those that have none in the settings although their wallets may have been paid. */
async function findNetworksToRead({ chains, db }: Context): Promise<ReceiveNetwork[]> {
  const now = await db.now();
  const networks: ReceiveNetwork[] = [];
  for (const network of RECEIVE_NETWORKS)
    if (chains.has(network) || (await findWatchedAddresses(db, network, now)).addresses.size > 0)
      networks.push(network);
  return networks;
}

/** A list that is cut looks whole, and what it leaves out looks decided. */
function cut<Row>(found: readonly Row[], limit: number): readonly Row[] {
  if (found.length <= limit) return found;
  print(`  There are more than these ${limit}: run this again once these are settled.`);
  process.exitCode = 1;
  return found.slice(0, limit);
}

/** Transfers without a payment. A session made after the backup was lost, or there never was one. */
export async function listUnattributed(ctx: Context, from: Date, limit = MAX_LISTED): Promise<number> {
  const found = await findLoose(ctx, from, limit + 1);
  if (found.length > 0) print('Transfers without a payment. Assign them, or mark them as handled:');
  const loose = cut(found, limit);
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
  const found = await findPaidByOlderMoney(db, from, MAX_OLDER_MONEY + 1);
  if (found.length > 0)
    print(
      'Payments with money that is older than their session. Look for a refund or a canceled order before you fulfill them:',
    );
  const paid = cut(found, MAX_OLDER_MONEY);
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
  const found = await findUndecided(db, MAX_UNDECIDED + 1);
  if (found.length > 0)
    print(
      'Payments that wait for a decision. It may have been made after the backup, and a refund may have been sent:',
    );
  const undecided = cut(found, MAX_UNDECIDED);
  for (const { id, endedAt } of undecided) print(`  ${id}  ${endedAt?.toISOString() ?? ''}`);
  return undecided.length;
}
