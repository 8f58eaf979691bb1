import type { Context } from '../../src/context.ts';
import type { Transfer } from '../../src/outside/chains/chain.ts';
import { receive } from '../../src/settlement/attribution/attribute-transfer.ts';
import { settleTransfer } from '../../src/settlement/outcome/settle.ts';
import { findTransfersByHash, type StoredTransfer } from '../../src/settlement/records/transfer-store.ts';

let made = 0;

/** A transfer of USDC on Base to this address that carries nothing, in a block of now. */
export function transferTo(to: string, fields: Partial<Transfer> = {}): Transfer {
  return {
    network: 'base',
    txHash: `0x${(++made).toString(16).padStart(64, '0')}`,
    index: 0,
    asset: 'USDC',
    from: '0x3333333333333333333333333333333333333333',
    to,
    amountUnits: 12_345_678n,
    block: { number: 1n, hash: '0x1', time: new Date() },
    carried: [],
    ...fields,
  };
}

/** Stores a transfer and attributes it, as if a network's reader had seen it. Returns its id. */
export async function arrive(ctx: Context, transfer: Transfer, livemode = true): Promise<string> {
  const now = await ctx.db.now();
  const [stored] = await ctx.db.transaction((db) => receive(ctx, db, { livemode, transfers: [transfer] }, now));
  return stored?.id ?? '';
}

/** The same, and it is final. Returns what is stored. */
export async function take(ctx: Context, transfer: Transfer, livemode = true): Promise<StoredTransfer | undefined> {
  await arrive(ctx, transfer, livemode);
  const now = await ctx.db.now();
  const find = () => findTransfersByHash(ctx.db, livemode, transfer.network, transfer.txHash);
  for (const stored of await find())
    await ctx.db.transaction((db) => settleTransfer({ ctx, db, at: { created: now, recorded: now } }, stored, {}));
  return (await find())[0];
}
