import type { AssetSymbol, ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { createSandboxChain, SANDBOX_CONFIRMATIONS, type SandboxChain } from '../../outside/chains/sandbox/sandbox.ts';
import { createSandboxRouter } from '../../outside/routers/sandbox/sandbox.ts';
import { sandboxAddress } from '../../outside/routers/sandbox/addresses.ts';
import { readClock } from '../../platform/db/clock.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { isFinal } from '../../settlement/verification/finality.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { settleTransfer, type Instants } from '../../settlement/outcome/settle.ts';
import { applyProgress, askProvider } from '../routed-payments/follow.ts';
import type { StoredOrder } from '../../settlement/records/route-order-store.ts';
import { receive } from '../../settlement/attribution/attribute-transfer.ts';
import { findUnfinalOfSandbox } from './store.ts';
import { lockClock, keepReverted } from './sandbox-store.ts';

/** An account's sandbox, locked until the transaction ends: nothing else moves its chains or its clock meanwhile. */
export interface Sandbox {
  db: Transaction;
  at: Instants;
  chain(network: ReceiveNetwork): SandboxChain;
  /** A customer sends the payout asset to the payment's wallet, as a connected wallet does: with its reference. */
  send(payment: Payment, amountUnits: bigint, options?: SendOptions): Promise<string>;
  /** A provider pays out. */
  deliver(payment: Payment, amountUnits: bigint, blockTime: Date): Promise<string>;
  addBlock(network: ReceiveNetwork): Promise<void>;
  /** Adds blocks until every transfer is final. */
  makeFinal(network: ReceiveNetwork): Promise<void>;
  /** Asks the sandbox's provider for an order's progress, and applies it. */
  followOrder(payment: Payment, order: StoredOrder): Promise<void>;
}

export interface SendOptions {
  blockTime?: Date;
  reverted?: boolean;
  asset?: AssetSymbol;
  /** Sent by a wallet without the reference, so only the amount identifies the payment. */
  bare?: boolean;
  /** The nonce of the authorization that moves it, and the account that signed it. */
  nonce?: Uint8Array;
  from?: string;
}

/** Works in an account's sandbox, in one transaction. */
export async function inSandbox<T>(
  ctx: Context,
  accountId: string,
  work: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  return ctx.db.transaction(async (db) => {
    const offsetMs = await lockClock(db, accountId);
    const realNow = await readClock(db);
    return work(openSandbox(ctx, db, accountId, { created: later(realNow, offsetMs), recorded: realNow }));
  });
}

function openSandbox(ctx: Context, db: Transaction, accountId: string, at: Instants): Sandbox {
  const chains = new Map<ReceiveNetwork, SandboxChain>();
  const chain = (network: ReceiveNetwork) => {
    const known = chains.get(network) ?? createSandboxChain(db, accountId, network);
    chains.set(network, known);
    return known;
  };
  const router = createSandboxRouter(db, ctx.prices);

  /**
   * Does what the watcher does on a real network: reads new blocks, records reverted transactions, settles final
   * transfers.
   */
  async function follow(network: ReceiveNetwork, addresses: ReadonlySet<string>, after: bigint): Promise<void> {
    const head = await chain(network).head('first');
    const reading = await chain(network).read(
      { number: after, hash: '', time: at.created },
      head,
      { addresses },
      'first',
    );
    await receive(ctx, db, false, reading.transfers, at.created);
    for (const { txHash, carried } of reading.reverted) await keepReverted(db, network, txHash, carried, at.created);
    await settle(network);
  }

  async function settle(network: ReceiveNetwork): Promise<void> {
    const head = await chain(network).head('first');
    const rule = { type: 'confirmations' as const, count: SANDBOX_CONFIRMATIONS };
    for (const transfer of await findUnfinalOfSandbox(db, accountId, network)) {
      if (!isFinal(rule, transfer.block.number, head)) continue;
      const { block } = transfer;
      const evidence = {
        txHash: transfer.txHash,
        block,
        confirmations: Number(head.number - block.number) + 1,
        finality: rule,
        providers: ['sandbox'],
      };
      await settleTransfer(ctx, db, transfer, evidence, at);
    }
  }

  async function mine(
    payment: Payment,
    amountUnits: bigint,
    blockTime: Date,
    from: string,
    options: SendOptions,
  ): Promise<string> {
    const network = payment.receiveNetwork;
    const reference = network === 'solana' ? payment.reference : payment.reference.subarray(0, 16);
    const carried = [...(options.nonce ? [options.nonce] : []), ...(options.bare ? [] : [reference])];
    const [txHash] = await chain(network).mine(
      [
        {
          asset: options.asset ?? payment.receiveAsset,
          from,
          to: payment.receiveAddress,
          amountUnits,
          carried,
          reverted: options.reverted ?? false,
        },
      ],
      blockTime,
    );
    const head = await chain(network).head('first');
    await follow(network, new Set([payment.receiveAddress]), head.number - 1n);
    return txHash ?? '';
  }

  return {
    db,
    at,
    chain,
    send: (payment, amountUnits, options = {}) =>
      mine(
        payment,
        amountUnits,
        options.blockTime ?? at.created,
        options.from ?? sandboxAddress(payment.receiveNetwork, 'customer'),
        options,
      ),
    deliver: (payment, amountUnits, blockTime) =>
      mine(payment, amountUnits, blockTime, sandboxAddress(payment.receiveNetwork, 'provider'), { bare: true }),
    async addBlock(network) {
      await chain(network).mine([], later(at.created, 1 * SECOND_MS));
      await settle(network);
    },
    async makeFinal(network) {
      for (let block = 1; block < SANDBOX_CONFIRMATIONS; block += 1) await chain(network).mine([], at.created);
      await settle(network);
    },
    async followOrder(payment, order) {
      const to = { network: payment.receiveNetwork, address: payment.receiveAddress };
      const { progress, payouts } = await askProvider(router, order, (network) => chain(network), to, ctx);
      await applyProgress(ctx, db, order.id, progress, payouts, at);
    },
  };
}
