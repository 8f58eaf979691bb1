import type { AssetSymbol, ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { createSandboxChain, SANDBOX_CONFIRMATIONS, type SandboxChain } from '../../outside/chains/sandbox/sandbox.ts';
import type { Router } from '../../outside/routers/router.ts';
import { createSandboxRouter } from '../../outside/routers/sandbox/sandbox.ts';
import { sandboxAddress } from '../../outside/routers/sandbox/addresses.ts';
import { readClock, type Transaction } from '../../platform/db/db.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { isFinal } from '../../settlement/verification/finality.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { settleTransfer } from '../../settlement/outcome/settle.ts';
import type { Instants } from '../../settlement/records/settlement.ts';
import { applyProgress, askProvider } from '../routed-payments/follow.ts';
import type { StoredOrder } from '../../settlement/records/route-order-store.ts';
import { receive } from '../../settlement/attribution/attribute-transfer.ts';
import { findUnfinalOfSandbox, lockClock, keepReverted } from './store.ts';

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

/** Works in an account's sandbox, in one transaction, when it is its turn. */
export function inSandbox<T>(ctx: Context, accountId: string, work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  return ctx.lines.sandboxes.inTurn(accountId, () => inOwnSandbox(ctx, accountId, work));
}

/** The same for work whose turn it is. */
export async function inOwnSandbox<T>(
  ctx: Context,
  accountId: string,
  work: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  return ctx.db.transaction(async (db) => {
    const offsetMs = await lockClock(db, accountId);
    const realNow = await readClock(db);
    return work(new Sandbox(ctx, db, accountId, { created: later(realNow, offsetMs), recorded: realNow }));
  });
}

/** An account's sandbox, locked until the transaction ends: nothing else moves its chains or its clock meanwhile. */
export class Sandbox {
  readonly db: Transaction;
  readonly at: Instants;
  readonly #ctx: Context;
  readonly #accountId: string;
  readonly #router: Router;
  readonly #chains = new Map<ReceiveNetwork, SandboxChain>();

  constructor(ctx: Context, db: Transaction, accountId: string, at: Instants) {
    this.db = db;
    this.at = at;
    this.#ctx = ctx;
    this.#accountId = accountId;
    this.#router = createSandboxRouter(db, ctx.prices);
  }

  chain(network: ReceiveNetwork): SandboxChain {
    const place = { accountId: this.#accountId, network, recordedAt: this.at.recorded };
    const known = this.#chains.get(network) ?? createSandboxChain(this.db, place);
    this.#chains.set(network, known);
    return known;
  }

  /** A customer sends the payout asset to the payment's wallet, as a connected wallet does: with its reference. */
  send(payment: Payment, amountUnits: bigint, options: SendOptions = {}): Promise<string> {
    const from = options.from ?? sandboxAddress(payment.receiveNetwork, 'customer');
    return this.#mine(payment, amountUnits, { ...options, from, blockTime: options.blockTime ?? this.at.created });
  }

  /** A provider pays out. */
  deliver(payment: Payment, amountUnits: bigint, blockTime: Date): Promise<string> {
    const from = sandboxAddress(payment.receiveNetwork, 'provider');
    return this.#mine(payment, amountUnits, { from, blockTime, bare: true });
  }

  async addBlock(network: ReceiveNetwork): Promise<void> {
    await this.chain(network).mine([], later(this.at.created, 1 * SECOND_MS));
    await this.#settle(network);
  }

  /** Adds blocks until every transfer is final. */
  async makeFinal(network: ReceiveNetwork): Promise<void> {
    for (let block = 1; block < SANDBOX_CONFIRMATIONS; block += 1) await this.chain(network).mine([], this.at.created);
    await this.#settle(network);
  }

  /** Asks the sandbox's provider for an order's progress, and applies it. */
  async followOrder(payment: Payment, order: StoredOrder): Promise<void> {
    const network = payment.receiveNetwork;
    const to = { network, address: payment.receiveAddress, chain: this.chain(network) };
    const report = await askProvider(this.#ctx, this.#router, order, to);
    await applyProgress(this.#ctx, this.db, report, this.at);
  }

  async #mine(
    payment: Payment,
    amountUnits: bigint,
    { blockTime, from, ...options }: SendOptions & { blockTime: Date; from: string },
  ): Promise<string> {
    const network = payment.receiveNetwork;
    const reference = network === 'solana' ? payment.reference : payment.reference.subarray(0, 16);
    const carried = [...(options.nonce ? [options.nonce] : []), ...(options.bare ? [] : [reference])];
    const transfer = {
      asset: options.asset ?? payment.receiveAsset,
      from,
      to: payment.receiveAddress,
      amountUnits,
      carried,
      reverted: options.reverted ?? false,
    };
    const [txHash] = await this.chain(network).mine([transfer], blockTime);
    const head = await this.chain(network).head('first');
    await this.#follow(network, new Set([payment.receiveAddress]), head.number - 1n);
    return txHash ?? '';
  }

  /**
   * Does what the watcher does on a real network: reads new blocks, records reverted transactions, settles final
   * transfers.
   */
  async #follow(network: ReceiveNetwork, addresses: ReadonlySet<string>, after: bigint): Promise<void> {
    const now = this.at.created;
    const head = await this.chain(network).head('first');
    const reading = await this.chain(network).read({
      after: { number: after, hash: '', time: now },
      until: head,
      watching: { addresses },
      pass: 'first',
    });
    await receive(this.#ctx, this.db, { livemode: false, transfers: reading.transfers }, now);
    for (const reverted of reading.reverted) await keepReverted(this.db, network, reverted, now);
    await this.#settle(network);
  }

  async #settle(network: ReceiveNetwork): Promise<void> {
    const head = await this.chain(network).head('first');
    const rule = { type: 'confirmations' as const, count: SANDBOX_CONFIRMATIONS };
    for (const transfer of await findUnfinalOfSandbox(this.db, this.#accountId, network)) {
      if (!isFinal(rule, transfer.block.number, head)) continue;
      const { block } = transfer;
      const evidence = {
        txHash: transfer.txHash,
        block,
        confirmations: Number(head.number - block.number) + 1,
        finality: rule,
        providers: ['sandbox'],
      };
      await settleTransfer({ ctx: this.#ctx, db: this.db, at: this.at }, transfer, evidence);
    }
  }
}
