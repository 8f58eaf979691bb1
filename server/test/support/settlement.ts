import { randomBytes } from 'node:crypto';
import { type Address, getAddress, toHex } from 'viem';
import type { Context } from '../../src/context.ts';
import type { Chain } from '../../src/outside/chains/chain.ts';
import { createEvmChain, type EvmChainOptions } from '../../src/outside/chains/evm/chain.ts';
import type { Database } from '../../src/platform/db/db.ts';
import { later, SECOND_MS } from '../../src/platform/time.ts';
import { expiryJob } from '../../src/settlement/outcome/expire.ts';
import { LEASE_MS } from '../../src/settlement/reading/cursor-store.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher, type Tick } from '../../src/settlement/watching/watcher.ts';
import { startAnvil, type TestChain } from './anvil.ts';
import { startApp, type TestApp, type TestAppOptions } from './app.ts';
import type { Merchant } from './merchant.ts';
import { paymentOfSession, walkOf } from './payments.ts';

type Data = any;

export const CONFIRMATIONS = 3;

/** A live shop on a real local chain. Tests run its watcher step by step and move its time. */
export interface Settlement extends AsyncDisposable {
  app: TestApp;
  ctx: Context;
  chain: TestChain;
  usdc: Address;
  usdt: Address;
  merchant: Merchant;
  /** The merchant's payout wallet. */
  wallet: Address;
  customer: Address;
  /** A live session that was not started. */
  session(fields?: Record<string, unknown>): Promise<Data>;
  /** A live session in USDC on Ethereum whose customer has chosen it; `amountUnits` is exactly what to send. */
  checkout(fields?: Record<string, unknown>, pay?: Record<string, unknown>): Promise<Checkout>;
  choose(sessionId: string, pay?: Record<string, unknown>): Promise<Data>;
  publicSession(sessionId: string): Promise<Data>;
  payment(sessionId: string): Promise<Data>;
  /** A payment's statuses, according to its events. */
  walk(sessionId: string): Promise<string[]>;
  /** A transfer of USDC to the payout wallet, mined by default. */
  send(
    amountUnits: bigint,
    options?: { tag?: Uint8Array; from?: Address; to?: Address; token?: Address; mine?: boolean },
  ): Promise<string>;
  watch(): Promise<Tick>;
  /** Mines until all transfers are final, and runs the watcher. */
  settle(): Promise<void>;
  /** Moves the time of the chain and the service. */
  pass(seconds: number): Promise<void>;
  /** Moves time past the lease of a network's reader, so that another watcher can take over. */
  passLease(): Promise<void>;
  /** Ends payments whose window has ended. */
  expire(): Promise<void>;
  unattributed(): Promise<Data[]>;
}

export interface Checkout {
  id: string;
  amountUnits: bigint;
  /** The 16 bytes of its reference that a tag carries. */
  reference: Buffer;
  tag: Uint8Array;
  session: Data;
}

/** The network of a shop, and what its local chain and its coin are called there. */
export interface Place {
  network: 'ethereum' | 'tron' | 'tempo';
  asset: 'USDC' | 'USDT';
  addressOf(hex: Address): string;
  open(options: Omit<EvmChainOptions, 'network' | 'dialect'>, log: Context['log']): Chain;
}

export const ETHEREUM: Place = {
  network: 'ethereum',
  asset: 'USDC',
  addressOf: (hex) => hex,
  open: (options, log) => createEvmChain({ network: 'ethereum', ...options }, log),
};

export async function startSettlement(
  options: TestAppOptions & {
    chain?: TestChain;
    place?: Place;
    /** The contract of the dollar coin; a plain token by default. */
    coin?: 'TestToken' | 'DollarCoin' | 'MemoToken';
    confirmations?: number | null;
    tuning?: EvmChainOptions['tuning'];
  } = {},
): Promise<Settlement> {
  const stack = new AsyncDisposableStack();
  const chain = options.chain ?? stack.use(await startAnvil());
  const usdc = await chain.deployToken({ contract: options.coin ?? 'TestToken' });
  const usdt = await chain.deployToken({ symbol: 'USDT' });
  const confirmations = options.confirmations === undefined ? CONFIRMATIONS : options.confirmations;
  const { network, asset, addressOf, open } = options.place ?? ETHEREUM;
  const key = network.toUpperCase();
  const app = stack.use(
    await startApp({
      ...options,
      env: {
        [`RPC_${key}_URLS`]: chain.url,
        [`CHAIN_ID_${key}`]: String(chain.chainId),
        [`TOKEN_${asset}_${key}`]: addressOf(usdc),
        ...(network === 'ethereum' && { TOKEN_USDT_ETHEREUM: usdt }),
        ...(confirmations === null ? {} : { [`CONFIRMATIONS_${key}`]: String(confirmations) }),
        ...options.env,
      },
    }),
  );
  let offsetMs = 0;
  const settings = app.config.networks[network];
  // A provider that failed is asked again at once, because tests repair what they broke.
  const tuned = open(
    {
      ...settings,
      tuning: { pauseMs: { first: 1, longest: 2 }, nowMs: () => Date.now() + offsetMs, ...options.tuning },
    },
    app.ctx.log,
  );
  stack.defer(() => tuned.close());
  const ctx: Context = {
    ...app.ctx,
    db: withClock(app.ctx.db, () => offsetMs),
    chains: new Map([[network, tuned]]),
  };
  const watcher = createWatcher('test');
  const merchant = app.merchant.live;
  const [, customer] = chain.accounts.map((account) => account.address) as [Address, Address];
  // A random address without a known key and without earlier transfers.
  const wallet = getAddress(toHex(randomBytes(20)));
  await merchant.createWallet({ asset, network, address: addressOf(wallet) });

  const settlement: Settlement = {
    app,
    ctx,
    chain,
    usdc,
    usdt,
    merchant,
    wallet,
    customer,
    // The API's own clock stands still while the test's is moved, so a session's lifetime is extended accordingly.
    session: (fields = {}) =>
      merchant.createSession({ ...fields, expires_in: Number(fields.expires_in ?? 3600) + offsetMs / 1000 }),
    async checkout(fields = {}, pay = {}) {
      const session = await settlement.session(fields);
      const { payment } = await settlement.choose(session.id, pay);
      const tag = Buffer.from(payment.tag.slice(2), 'hex');
      return {
        id: session.id,
        amountUnits: BigInt(payment.amount.replace('.', '')),
        reference: tag.subarray(4),
        tag,
        session,
      };
    },
    async choose(sessionId, pay = {}) {
      const answer = await app.inject('POST', `/v1/public/checkout/sessions/${sessionId}/pay`, {
        body: { pay_asset: asset, pay_network: network, ...pay },
      });
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
      return answer.body.data;
    },
    publicSession: async (sessionId) =>
      (await app.inject('GET', `/v1/public/checkout/sessions/${sessionId}`)).body.data,
    payment: async (sessionId) => merchant.get(`/payments/${await paymentOfSession(app.ctx.db, sessionId)}`),
    walk: (sessionId) => walkOf(app.ctx.db, sessionId),
    send: (amountUnits, { token = usdc, to = wallet, from = customer, ...more } = {}) =>
      chain.transferErc20({ token, to, from, amount: amountUnits, ...more }),
    watch: () => tick(ctx, network, watcher),
    async settle() {
      await chain.mine(confirmations ?? CONFIRMATIONS);
      while ((await settlement.watch()) === 'more');
    },
    async pass(seconds) {
      offsetMs += seconds * 1000;
      await chain.rpc('evm_increaseTime', [toHex(seconds)]);
      await chain.mine();
    },
    passLease: () => settlement.pass(LEASE_MS / SECOND_MS + 1),
    async expire() {
      while ((await expiryJob.run(ctx, new AbortController().signal, () => {})) === 'more');
    },
    unattributed: async () => (await merchant.get('/transfers', { unattributed: 'true' })).data,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return settlement;
}

/** The database with a clock that is ahead. */
export function withClock(db: Database, offsetMs: () => number): Database {
  return { ...db, now: async () => later(await db.now(), offsetMs()) };
}
