import { setTimeout as pause } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { type Address, getAddress, toHex } from 'viem';
import { MAX_CLAIMS_PER_PAYMENT } from '../../../src/settlement/attribution/claim-store.ts';
import { startWatching } from '../../../src/watch.ts';
import { transferCalldata } from '../../support/anvil.ts';
import type { Settlement } from '../../support/settlement.ts';
import { countRpcCalls, type Flood, measureGrowth } from './flood.ts';

const FULL_SIZE = 10_000;
const TRANSFERS_PER_TRANSACTION = 500;
const MAX_SECONDS = 60;
const MAX_GROWTH_MIB = 150;

/**
 * How strangers connect the dust with a payment: not at all, by the tag of an open session in the calldata of each
 * transaction, or by a claim for each transaction that names its contract as the sender.
 */
export type DustVariant = 'plain' | 'tagged' | 'claimed';

const ROWS_PER_CLAIMED_TRANSACTION = 8;

/**
 * One-unit transfers to a wallet, 500 in a transaction, then in the next block an honest payment to that wallet and
 * another merchant's. The service's loops run as in production.
 */
export function floodWithDust(variant: DustVariant = 'plain'): Flood {
  return async (shop, { size = FULL_SIZE, say = () => {} } = {}) => {
    const batcher = await shop.chain.deploy('Batcher');
    await shop.send(BigInt(size), { to: batcher });
    const rival = await rivalOf(shop);
    const [honest, other] = [await shop.checkout(), await rival.checkout()];

    const { value, grewMiB, beforeMiB } = await measureGrowth(async () => {
      const watching = startWatching(shop.ctx);
      const rpc = countRpcCalls();
      try {
        say(`${size} one-unit transfers, ${variant}`);
        await sendDust(shop, batcher, { size, variant });
        say('two honest payments');
        const startedAt = performance.now();
        await shop.send(honest.amountUnits);
        await shop.send(other.amountUnits, { to: rival.wallet });
        await shop.chain.mine(4);
        const seconds = { honest: Number.NaN, other: Number.NaN };
        while (
          performance.now() - startedAt < 2 * MAX_SECONDS * 1000 &&
          (Number.isNaN(seconds.honest) || Number.isNaN(seconds.other))
        ) {
          await pause(100);
          const elapsed = (performance.now() - startedAt) / 1000;
          if (Number.isNaN(seconds.honest) && (await shop.payment(honest.id)).status === 'paid')
            seconds.honest = elapsed;
          if (Number.isNaN(seconds.other) && (await rival.status(other.id)) === 'paid') seconds.other = elapsed;
        }
        return { seconds, calls: rpc.calls() };
      } finally {
        rpc.stop();
        await watching.stop();
      }
    });

    const { rows, dust } = await leftBy(shop);
    const { honest: honestSeconds, other: otherSeconds } = value.seconds;
    const transactions = Math.ceil(size / TRANSFERS_PER_TRANSACTION);
    // One row is the honest payment's.
    const maxRows = 1 + (variant === 'claimed' ? transactions * ROWS_PER_CLAIMED_TRANSACTION : 0);
    const failures = [
      ...(honestSeconds <= MAX_SECONDS ? [] : [`the honest payment to the flooded wallet took ${honestSeconds} s`]),
      ...(otherSeconds <= MAX_SECONDS ? [] : [`the other merchant's payment took ${otherSeconds} s`]),
      ...(grewMiB <= MAX_GROWTH_MIB ? [] : [`memory grew by ${grewMiB} MiB`]),
      ...(rows <= maxRows ? [] : [`${rows} transfers became rows, at most ${maxRows} may`]),
      ...(dust + rows - 1 === size ? [] : [`${dust} of ${size} transfers were counted, and ${rows - 1} stored`]),
    ];
    return {
      figures: {
        transfers: size,
        honestSeconds,
        otherSeconds,
        rpcCalls: value.calls,
        rssBeforeMiB: beforeMiB,
        grewMiB,
        rowsOfWallet: rows,
        counted: dust,
      },
      failures,
    };
  };
}

async function sendDust(
  shop: Settlement,
  batcher: Address,
  { size, variant }: { size: number; variant: DustVariant },
): Promise<void> {
  const named = variant === 'plain' ? undefined : await shop.checkout();
  const tag = variant === 'tagged' && named ? { tag: named.tag } : {};
  let claimedFor = named;
  for (let sent = 0; sent < size; sent += TRANSFERS_PER_TRANSACTION) {
    const count = Math.min(TRANSFERS_PER_TRANSACTION, size - sent);
    const hash = await shop.chain.batch(
      batcher,
      Array.from({ length: count }, () => ({ target: shop.usdc, data: transferCalldata(shop.wallet, 1n) })),
      { gas: 29_000_000n, ...tag, mine: variant !== 'claimed' },
    );
    if (variant !== 'claimed') continue;
    const claims = Math.floor(sent / TRANSFERS_PER_TRANSACTION);
    if (claims > 0 && claims % MAX_CLAIMS_PER_PAYMENT === 0) claimedFor = await shop.checkout();
    await claim(shop, claimedFor?.id ?? '', { hash, sender: batcher });
    await shop.chain.mine(1);
  }
}

/** A claim that names a contract as the sender is not verified before the transfer has been read. */
async function claim(shop: Settlement, sessionId: string, { hash, sender }: { hash: string; sender: Address }) {
  const { status, raw } = await shop.app.inject('POST', `/v1/public/checkout/sessions/${sessionId}/transactions`, {
    body: { tx_hash: hash, signature: `0x${'ab'.repeat(100)}`, sender },
  });
  if (status !== 202) throw new Error(`the claim was refused: ${status} ${raw}`);
}

async function leftBy(shop: Settlement): Promise<{ rows: number; dust: number }> {
  const [left] = await shop.ctx.db.query<{ rows: number; dust: number }>(
    'flood_left',
    `
    select (select count(*) from transfers where to_address = $1)::int as rows, (select coalesce(sum(dust), 0)
      from address_activity where address = $1)::int as dust`,
    [shop.wallet],
  );
  return left ?? { rows: -1, dust: -1 };
}

/** Another merchant on the same network. */
async function rivalOf(shop: Settlement) {
  const merchant = (await shop.app.newMerchant({ mode: 'live' })).live;
  const wallet = getAddress(toHex(randomBytes(20)));
  await merchant.createWallet({ asset: 'USDC', network: 'ethereum', address: wallet });
  return {
    wallet,
    async checkout() {
      const session = await merchant.createSession({});
      const { payment } = await shop.choose(session.id);
      return { id: session.id as string, amountUnits: BigInt(payment.amount.replace('.', '')) };
    },
    status: async (sessionId: string) => (await shop.publicSession(sessionId)).status,
  };
}
