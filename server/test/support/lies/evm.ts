import { randomBytes } from 'node:crypto';
import { type Address, getAddress, type Hex, toHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { createEvmChain } from '../../../src/outside/chains/evm/chain.ts';
import { startAnvil, transferCalldata } from '../anvil.ts';
import { authorizationCall, signAuthorization } from '../authorizations.ts';
import { type Raw, type RpcProxy, startRpcProxy } from '../evm-rpc-proxy.ts';
import { recording } from '../recording.ts';
import { type Checkout, type Settlement, startSettlement } from '../settlement.ts';
import { lieAbout, type Lies, noLies } from './evm-answers.ts';
import type { Added, LiedAbout, LiedTo, Paid } from './shop.ts';

const STRANGER = getAddress(toHex(randomBytes(20)));
const TEN_MINUTES = 600;

/** What one way to pay needs: the shop, its liar's lies, and a contract that pays others with what it holds. */
interface Means {
  shop: Settlement;
  liar: RpcProxy;
  lies: Lies;
  batcher: Address;
}

type Pay = (means: Means, checkout: Checkout) => Promise<string>;

/** One kind of money on an Ethereum-compatible network. */
interface Money {
  /** How a session is paid whose payment the liar changes in this way. */
  ways: Record<string, Pay>;
  add(means: Means): Promise<Added[]>;
  checkout(shop: Settlement, expiresIn: number): Promise<Checkout>;
  send(shop: Settlement, amountUnits: bigint): Promise<string>;
  prepare(shop: Settlement, batcher: Address): Promise<void>;
}

/** No exact amount of another session. */
const MORE_USDC = 100_000n;
const OTHER_USDC = 5_000_000n;

const USDC: Money = {
  checkout: (shop, expiresIn) => shop.checkout({ expires_in: expiresIn }),
  send: (shop, amountUnits) => shop.send(amountUnits),
  async prepare({ chain, usdc }, batcher) {
    await chain.transferErc20({ token: usdc, to: batcher, amount: 1_000_000_000n });
  },
  ways: {
    async asset({ shop, lies }, { amountUnits }) {
      const hash = await shop.send(amountUnits);
      lies.tokens.set(hash, shop.usdt);
      return hash;
    },
    async 'asset to an unknown one'({ shop, lies }, { amountUnits }) {
      const hash = await shop.send(amountUnits);
      lies.tokens.set(hash, STRANGER);
      return hash;
    },
    async amount({ shop, lies }, { amountUnits }) {
      const hash = await shop.send(amountUnits);
      lies.amounts.set(hash, amountUnits - 4_000_000n);
      return hash;
    },
    async from({ shop, lies }, { amountUnits }) {
      const hash = await shop.send(amountUnits);
      lies.senders.set(hash, STRANGER);
      return hash;
    },
    async to({ shop, lies }, { amountUnits }) {
      const hash = await shop.send(amountUnits);
      lies.recipients.set(hash, { real: shop.wallet, shown: STRANGER });
      return hash;
    },
    async time({ shop, lies }, { amountUnits }) {
      const hash = await shop.send(amountUnits);
      lies.times.set((await shop.chain.included(hash as Hex)).blockNumber, TEN_MINUTES);
      return hash;
    },
    async tag({ shop, lies }, { amountUnits, tag }) {
      const hash = await shop.send(amountUnits + MORE_USDC, { tag });
      lies.untagged.add(hash);
      return hash;
    },
    nonce: payByAuthorization,
    async 'order of logs'({ shop, lies, batcher }, { amountUnits }) {
      const call = (amount: bigint) => ({ target: shop.usdc, data: transferCalldata(shop.wallet, amount) });
      const hash = await shop.chain.batch(batcher, [call(amountUnits), call(OTHER_USDC)]);
      const { logs } = await shop.chain.rpc<{ logs: Raw[] }>('eth_getTransactionReceipt', [hash]);
      lies.swapped.set(hash, logs as [Raw, Raw]);
      return hash;
    },
    async 'left out'({ shop, lies }, { amountUnits }) {
      const hash = await shop.send(amountUnits);
      lies.leftOut.add(hash);
      return hash;
    },
  },
  async add({ shop, lies, batcher }) {
    const call = (to: Address, amount: bigint, target = shop.usdc) => ({ target, data: transferCalldata(to, amount) });
    // Its own payment lets the liar's node find the transaction.
    const own = call(shop.wallet, 1_000_000n);
    const [others, worthless] = [500_000_000n, 600_000_000n];
    const txHash = await shop.chain.batch(batcher, [own, call(STRANGER, others)]);
    lies.recipients.set(txHash, { real: STRANGER, shown: shop.wallet });

    const token = await shop.chain.deployToken();
    await shop.chain.transferErc20({ token, to: batcher, amount: worthless });
    const tokenHash = await shop.chain.batch(batcher, [own, call(shop.wallet, worthless, token)]);
    lies.tokens.set(tokenHash, shop.usdc);
    return [
      { txHash, amountUnits: others },
      { txHash: tokenHash, amountUnits: worthless },
    ];
  },
};

async function payByAuthorization({ shop, lies }: Means, { id, amountUnits }: Checkout): Promise<string> {
  const { chain, usdc, wallet, ctx } = shop;
  const [, , payer, relayer] = chain.accounts as [never, never, PrivateKeyAccount, PrivateKeyAccount];
  const signed = await signAuthorization(chain, usdc, payer, { to: wallet, value: amountUnits + MORE_USDC });
  await ctx.db.query(
    'test_remember_authorization',
    `insert into machine_credentials (id, payment_id, livemode, network, protocol, kind, replay_key, payer, token, nonce, state, created_at)
     select $1, p.id, true, 'ethereum', 'x402', 'authorization', $2, $3, $4, $5, 'open', $6 from payments p where p.session_id = $7`,
    [
      `mc_${randomBytes(12).toString('hex')}`,
      randomBytes(32),
      signed.from,
      usdc,
      Buffer.from(signed.nonce.slice(2), 'hex'),
      new Date(),
      id,
    ],
  );
  const hash = await chain.send({ from: relayer.address, to: usdc, data: authorizationCall(signed) });
  lies.nonces.set(hash, toHex(randomBytes(32)));
  return hash;
}

const MORE_WEI = 10n ** 13n;
const CENT_OF_ETHER = 10n ** 16n;

/** Pays in ether by a plain transaction. The liar shows other balances too, as far as its lie changes them. */
async function payEther(
  { shop, liar, lies }: Means,
  { amountUnits }: Checkout,
  shown: { value?: bigint; from?: Address; to?: Address } | null,
): Promise<string> {
  const hash = await shop.chain.sendEth({ from: shop.customer, to: shop.wallet, amount: amountUnits });
  const { blockNumber } = await shop.chain.included(hash);
  const moved = shown === null || shown.to !== undefined ? 0n : (shown.value ?? amountUnits);
  lies.ether.set(amountUnits, { hash, shown });
  liar.balances.push({ address: shop.wallet, from: blockNumber, by: moved - amountUnits });
  return hash;
}

/** Pays in ether by a contract, which only traces and balances show. */
async function payEtherInside({ shop, liar, lies, batcher }: Means, { amountUnits }: Checkout, shown: bigint | null) {
  const hash = await shop.chain.batch(batcher, [{ target: shop.wallet, value: amountUnits }]);
  const { blockNumber } = await shop.chain.included(hash);
  lies.ether.set(amountUnits, { hash: null, shown: shown === null ? null : { value: shown } });
  liar.balances.push({ address: shop.wallet, from: blockNumber, by: (shown ?? 0n) - amountUnits });
  return hash;
}

const ETHER: Money = {
  async checkout(shop, expiresIn) {
    const wallets = await shop.merchant.get('/payout-wallets');
    const wallet = wallets.data.find(({ asset }: { asset: string }) => asset === 'ETH');
    const session = await shop.session({ expires_in: expiresIn, payout_wallet_id: wallet.id });
    const { payment } = await shop.choose(session.id, { pay_asset: 'ETH' });
    const tag = Buffer.from(payment.tag.slice(2), 'hex');
    const [whole, fraction] = payment.amount.split('.') as [string, string];
    return {
      id: session.id,
      amountUnits: BigInt(whole + fraction.padEnd(18, '0')),
      reference: tag.subarray(4),
      tag,
      session,
    };
  },
  send: (shop, amountUnits) => shop.chain.sendEth({ from: shop.customer, to: shop.wallet, amount: amountUnits }),
  async prepare({ chain, merchant, wallet }, batcher) {
    await merchant.createWallet({ asset: 'ETH', network: 'ethereum', address: wallet });
    await chain.sendEth({ to: batcher, amount: 100n * 10n ** 18n });
  },
  ways: {
    amount: (means, checkout) => payEther(means, checkout, { value: checkout.amountUnits - CENT_OF_ETHER / 10n }),
    from: (means, checkout) => payEther(means, checkout, { from: STRANGER }),
    to: (means, checkout) => payEther(means, checkout, { to: STRANGER }),
    async time({ shop, lies }, { amountUnits }) {
      const hash = await ETHER.send(shop, amountUnits);
      lies.times.set((await shop.chain.included(hash as Hex)).blockNumber, TEN_MINUTES);
      return hash;
    },
    async tag({ shop, lies }, { amountUnits, tag }) {
      const hash = await shop.chain.sendEth({
        from: shop.customer,
        to: shop.wallet,
        amount: amountUnits + MORE_WEI,
        data: toHex(tag),
      });
      lies.untagged.add(hash);
      return hash;
    },
    'left out': (means, checkout) => payEther(means, checkout, null),
    'amount inside a contract': (means, checkout) =>
      payEtherInside(means, checkout, checkout.amountUnits - CENT_OF_ETHER / 10n),
    'left out of a contract': (means, checkout) => payEtherInside(means, checkout, null),
    async 'order of calls'({ shop, lies, batcher }, { amountUnits }) {
      const other = CENT_OF_ETHER + 7n;
      const call = (value: bigint) => ({ target: shop.wallet, value });
      const hash = await shop.chain.batch(batcher, [call(amountUnits), call(other)]);
      lies.ether.set(amountUnits, { hash: null, shown: { value: other } });
      lies.ether.set(other, { hash: null, shown: { value: amountUnits } });
      return hash;
    },
  },
  async add({ shop, liar, lies }) {
    const amountUnits = 3n * 10n ** 18n + 3n;
    const txHash = await shop.chain.sendEth({ from: shop.customer, to: STRANGER, amount: amountUnits });
    const { blockNumber } = await shop.chain.included(txHash);
    lies.ether.set(amountUnits, { hash: txHash, shown: { to: shop.wallet } });
    liar.balances.push({ address: shop.wallet, from: blockNumber, by: amountUnits });
    return [{ txHash, amountUnits }];
  },
};

/** USDC as logs show it. */
export const TOKENS: LiedAbout = { changes: Object.keys(USDC.ways), start: (...of) => start(USDC, ...of) };
/** Ether as transactions, traces and balances show it. */
export const NATIVE: LiedAbout = { changes: Object.keys(ETHER.ways), start: (...of) => start(ETHER, ...of) };

async function start(money: Money, honestCount: number, liarIs: 'first' | 'last'): Promise<LiedTo> {
  const stack = new AsyncDisposableStack();
  const chain = stack.use(await startAnvil());
  const liar = stack.use(await startRpcProxy(chain.url));
  const honest: RpcProxy[] = [];
  for (let one = 0; one < honestCount; one += 1) honest.push(stack.use(await startRpcProxy(chain.url)));
  const lies = noLies();
  liar.lie = lieAbout(lies);
  const lines: Record<string, unknown>[] = [];
  const order = (liarIs === 'first' ? [liar, ...honest] : [...honest, liar]).map(({ url }) => url);
  const shop = stack.use(
    await startSettlement({
      chain,
      coin: 'DollarCoin',
      env: { RPC_ETHEREUM_URLS: order.join(',') },
      overrides: { log: recording(lines) },
    }),
  );
  const batcher = await chain.deploy('Batcher');
  await money.prepare(shop, batcher);
  const means = { shop, liar, lies, batcher };
  return {
    shop,
    network: 'ethereum',
    since: 1n,
    lines,
    liar: new URL(liar.url).host,
    honest: honest.map(({ url }) => new URL(url).host),
    async payAll(expiresIn) {
      const paid = new Map<string, Paid>();
      for (const [change, pay] of Object.entries(money.ways)) {
        const checkout = await money.checkout(shop, expiresIn);
        paid.set(change, { sessionId: checkout.id, txHash: await pay(means, checkout) });
      }
      return paid;
    },
    add: () => money.add(means),
    dateEarly: (seconds) => void lies.times.set('all', seconds),
    async payFirst() {
      const { id, amountUnits } = await money.checkout(shop, 3_600);
      const txHash = await money.send(shop, amountUnits);
      await chain.mine(5);
      return { sessionId: id, txHash };
    },
    honestChain() {
      const rpcUrls = honest.length > 0 ? honest.map(({ url }) => url) : [chain.url];
      const settings = shop.app.config.networks.ethereum;
      const tuning = { pauseMs: { first: 1, longest: 2 } };
      const only = createEvmChain({ network: 'ethereum', ...settings, rpcUrls, tuning }, shop.ctx.log);
      stack.defer(() => only.close());
      return only;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
