import { EXTRA_ASSETS } from '@quittance/contract';
import { type KeyPairSigner, signBytes } from '@solana/kit';
import { base58 } from '@scure/base';
import type { Context } from '../../../src/context.ts';
import { createSolanaChain } from '../../../src/outside/chains/solana/chain.ts';
import { expiryJob } from '../../../src/settlement/outcome/expire.ts';
import { tick } from '../../../src/settlement/watching/turns.ts';
import { createWatcher, type Tick } from '../../../src/settlement/watching/watcher.ts';
import { startApp, type TestApp, type TestAppOptions } from '../app.ts';
import type { Merchant } from '../merchant.ts';
import { paymentOfSession, walkOf } from '../payments.ts';
import { withClock } from '../settlement.ts';
import { type SendOptions, startSolana, type TestSolana } from './index.ts';

type Data = any;

/** The token that the shop sells in, and another one that is read: with `EXTRA_ASSETS`, each the other way around. */
export const [COIN, OTHER]: readonly ['USDC', 'USDT'] | readonly ['USDT', 'USDC'] = EXTRA_ASSETS.includes('USDT_SOLANA')
  ? ['USDT', 'USDC']
  : ['USDC', 'USDT'];
export type SolanaCoin = 'USDC' | 'USDT' | 'SOL';

/** A live shop on a local cluster. Tests run its watcher step by step and move its time. */
export interface SolanaShop extends AsyncDisposable {
  app: TestApp;
  ctx: Context;
  cluster: TestSolana;
  /** The mint of `COIN`, and that of `OTHER`. */
  usdc: string;
  usdt: string;
  merchant: Merchant;
  /** The merchant's payout wallet: one address, saved for the coin and for SOL. */
  wallet: KeyPairSigner;
  customer: KeyPairSigner;
  session(asset?: SolanaCoin, fields?: Record<string, unknown>): Promise<Data>;
  /** A live session whose customer has chosen it; `amountUnits` is exactly what to send. */
  checkout(asset?: SolanaCoin, fields?: Record<string, unknown>): Promise<SolanaCheckout>;
  choose(sessionId: string, pay: Record<string, unknown>): Promise<Data>;
  publicSession(sessionId: string): Promise<Data>;
  payment(sessionId: string): Promise<Data>;
  /** A payment's statuses, according to its events. */
  walk(sessionId: string): Promise<string[]>;
  /** A transfer to the payout wallet in its own slot. */
  sendUsdc(
    amount: bigint,
    options?: SendOptions & { references?: readonly string[]; memo?: string; mint?: string; checked?: boolean },
  ): Promise<string>;
  sendSol(amount: bigint, options?: SendOptions & { references?: readonly string[]; memo?: string }): Promise<string>;
  watch(): Promise<Tick>;
  /** Produces slots until all transfers are finalized, and runs the watcher. */
  settle(): Promise<void>;
  /** Moves the time of the cluster and the service. */
  pass(seconds: number): Promise<void>;
  expire(): Promise<void>;
  unattributed(): Promise<Data[]>;
  claim(sessionId: string, txHash: string, signer?: KeyPairSigner): Promise<number>;
}

export interface SolanaCheckout {
  id: string;
  amountUnits: bigint;
  /** The reference in base58, as Solana Pay carries it. */
  reference: string;
  payment: Data;
}

const DECIMALS = { USDC: 6, USDT: 6, SOL: 9 };

export async function startSolanaShop(
  options: TestAppOptions & { cluster?: TestSolana; rpcUrls?: readonly string[] } = {},
): Promise<SolanaShop> {
  const stack = new AsyncDisposableStack();
  const cluster = options.cluster ?? stack.use(await startSolana());
  // The second pass of a single provider goes 32 slots back, so there must be blocks.
  if (!options.cluster) cluster.slots(40);
  const [usdc, usdt] = [await cluster.createMint(), await cluster.createMint()];
  const [customer, wallet] = [await cluster.newWallet(1_000_000_000_000n), await cluster.newWallet()];
  for (const mint of [usdc, usdt]) await cluster.mint(mint, customer.address, 1_000_000_000_000n);
  const rpcUrls = options.rpcUrls ?? [cluster.url];
  const app = stack.use(
    await startApp({
      ...options,
      env: {
        RPC_SOLANA_URLS: rpcUrls.join(','),
        GENESIS_SOLANA: cluster.genesisHash,
        [`TOKEN_${COIN}_SOLANA`]: usdc,
        [`TOKEN_${OTHER}_SOLANA`]: usdt,
        ...options.env,
      },
    }),
  );
  let offsetMs = 0;
  // A provider that failed is asked again at once, because tests repair what they broke.
  const tuned = createSolanaChain(
    {
      ...app.config.networks.solana,
      rpcUrls,
      tuning: {
        pauseMs: { first: 1, longest: 2 },
        historiesPerSecond: Number.POSITIVE_INFINITY,
        nowMs: () => Date.now() + offsetMs,
      },
    },
    app.ctx.log,
  );
  stack.defer(() => tuned.close());
  const ctx: Context = { ...app.ctx, db: withClock(app.ctx.db, () => offsetMs), chains: new Map([['solana', tuned]]) };
  const watcher = createWatcher('test');
  const merchant = app.merchant.live;
  const wallets: Partial<Record<SolanaCoin, Data>> = {
    [COIN]: await merchant.createWallet({ asset: COIN, network: 'solana', address: wallet.address }),
    SOL: await merchant.createWallet({ asset: 'SOL', network: 'solana', address: wallet.address }),
  };

  const shop: SolanaShop = {
    app,
    ctx,
    cluster,
    usdc,
    usdt,
    merchant,
    wallet,
    customer,
    // The API's own clock stands still while the test's is moved, so a session's lifetime is extended accordingly.
    session: (asset = COIN, fields = {}) =>
      merchant.createSession({
        payout_wallet_id: wallets[asset].id,
        ...fields,
        expires_in: Number(fields.expires_in ?? 3600) + offsetMs / 1000,
      }),
    async checkout(asset = COIN, fields = {}) {
      const session = await shop.session(asset, fields);
      const { payment } = await shop.choose(session.id, { pay_asset: asset });
      return {
        id: session.id,
        amountUnits: unitsOf(payment.amount, DECIMALS[asset]),
        reference: payment.reference,
        payment,
      };
    },
    async choose(sessionId, pay) {
      const answer = await app.inject('POST', `/v1/public/checkout/sessions/${sessionId}/pay`, {
        body: { pay_network: 'solana', ...pay },
      });
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
      return answer.body.data;
    },
    publicSession: async (sessionId) =>
      (await app.inject('GET', `/v1/public/checkout/sessions/${sessionId}`)).body.data,
    payment: async (sessionId) => merchant.get(`/payments/${await paymentOfSession(app.ctx.db, sessionId)}`),
    walk: (sessionId) => walkOf(app.ctx.db, sessionId),
    sendUsdc: (amount, { mint = usdc, ...more } = {}) =>
      cluster.transferToken({ mint, to: wallet.address, from: customer, amount, ...more }),
    sendSol: (amount, more = {}) => cluster.transferSol({ to: wallet.address, from: customer, amount, ...more }),
    watch: () => tick(ctx, 'solana', watcher),
    async settle() {
      cluster.finalize();
      while ((await shop.watch()) === 'more');
    },
    async pass(seconds) {
      offsetMs += seconds * 1000;
      cluster.slots(1, { intervalMs: seconds * 1000 });
    },
    async expire() {
      while ((await expiryJob.run(ctx, new AbortController().signal, () => {})) === 'more');
    },
    unattributed: async () => (await merchant.get('/transfers', { unattributed: 'true' })).data,
    async claim(sessionId, txHash, signer) {
      const text = [
        'Quittance payment claim',
        `Session: ${sessionId}`,
        'Network: solana',
        `Transaction: ${txHash}`,
      ].join('\n');
      const signature =
        signer &&
        base58.encode(new Uint8Array(await signBytes(signer.keyPair.privateKey, new TextEncoder().encode(text))));
      return (
        await app.inject('POST', `/v1/public/checkout/sessions/${sessionId}/transactions`, {
          body: { tx_hash: txHash, ...(signature && { signature }) },
        })
      ).status;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return shop;
}

function unitsOf(amount: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}
