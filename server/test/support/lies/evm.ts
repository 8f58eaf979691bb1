import { randomBytes } from 'node:crypto';
import { type Address, getAddress, type Hex, toHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { startAnvil, transferCalldata } from '../anvil.ts';
import { authorizationCall, signAuthorization } from '../authorizations.ts';
import { type Raw, type RpcProxy, startRpcProxy } from '../evm-rpc-proxy.ts';
import { rememberAuthorization } from '../payments.ts';
import { recording } from '../recording.ts';
import { type Checkout, ETHEREUM, type Place, type Settlement, startSettlement } from '../settlement.ts';
import { isTransfer, lieAbout, type Lies, noLies } from './evm-answers.ts';
import { type Added, EARLIER, inOrder, LATER, type LiarIs, type LiedAbout, type LiedTo, type Paid } from './shop.ts';

const STRANGER = getAddress(toHex(randomBytes(20)));

/** What one way to pay needs: the shop, its liar's lies, and a contract that pays others with what it holds. */
interface Means {
  shop: Settlement;
  liar: RpcProxy;
  lies: Lies;
  batcher: Address;
  /** A customer's own contract, which anyone may call. */
  smartWallet: Address;
}

/** What a customer was shown. */
export type Order = Pick<Checkout, 'id' | 'amountUnits' | 'tag'>;

type Pay = (means: Means, order: Order) => Promise<string>;

/** One kind of money on a network that is read by Ethereum's JSON-RPC. */
export interface Money {
  /** Where; Ethereum by default. */
  place?: Place;
  coin?: 'DollarCoin' | 'MemoToken';
  /** A node of that network that answers from the local chain; by default, the local chain itself. */
  node?(url: string): Promise<{ url: string } & AsyncDisposable>;
  /** A transaction's hash as that network writes it. */
  shownHash?(hash: string): string;
  /** How a session is paid whose payment the liar changes in this way. */
  ways: Record<string, Pay>;
  /** Ways of which the liar contradicts no transfer. */
  hides: readonly string[];
  add(means: Means): Promise<Added[]>;
  checkout(shop: Settlement, expiresIn: number): Promise<Order>;
  send(shop: Settlement, order: Order): Promise<string>;
  /** Gives a contract money to pay with. */
  fund(shop: Settlement, contract: Address): Promise<unknown>;
  prepare?(shop: Settlement): Promise<unknown>;
}

/** No exact amount of another session. */
const MORE_USDC = 100_000n;
const OTHER_USDC = 5_000_000n;

/** The calldata of a transfer for an order. */
type DataOf = (to: Address, order: Pick<Order, 'amountUnits' | 'tag'>) => Hex;

/** A token, as its logs show it. */
export function tokenMoney(dataOf: DataOf): Pick<Money, 'ways' | 'hides' | 'add' | 'send' | 'fund'> {
  const send: Money['send'] = ({ chain, usdc, wallet, customer }, order) =>
    chain.send({ from: customer, to: usdc, data: dataOf(wallet, order) });
  const ways: Money['ways'] = {
    async 'asset to an unknown one'({ shop, lies }, order) {
      const hash = await send(shop, order);
      lies.tokens.set(hash, STRANGER);
      return hash;
    },
    async amount({ shop, lies }, order) {
      const hash = await send(shop, order);
      lies.amounts.set(hash, order.amountUnits - 4_000_000n);
      return hash;
    },
    async from({ shop, lies }, order) {
      const hash = await send(shop, order);
      lies.senders.set(hash, STRANGER);
      return hash;
    },
    async to({ shop, lies }, order) {
      const hash = await send(shop, order);
      lies.recipients.set(hash, { real: shop.wallet, shown: STRANGER });
      return hash;
    },
    'time to an earlier one': async (means, order) => date(means, await send(means.shop, order), EARLIER),
    'time to a later one': async (means, order) => date(means, await send(means.shop, order), LATER),
    async 'order of logs'({ shop, lies, batcher }, order) {
      const hash = await shop.chain.batch(batcher, [
        { target: shop.usdc, data: dataOf(shop.wallet, order) },
        { target: shop.usdc, data: transferCalldata(shop.wallet, OTHER_USDC) },
      ]);
      const { logs } = await shop.chain.rpc<{ logs: Raw[] }>('eth_getTransactionReceipt', [hash]);
      lies.swapped.set(hash, logs.filter(isTransfer) as [Raw, Raw]);
      return hash;
    },
    async 'left out'({ shop, lies }, order) {
      const hash = await send(shop, order);
      lies.leftOut.add(hash);
      return hash;
    },
  };
  const fund: Money['fund'] = ({ chain, usdc }, to) => chain.transferErc20({ token: usdc, to, amount: 1_000_000_000n });
  return { ways, hides: ['asset to an unknown one', 'to', 'left out'], add: addTokens, send, fund };
}

/** The block of this payment is dated this many seconds later. */
async function date({ shop, lies }: Means, hash: string, seconds: number): Promise<string> {
  lies.times.set((await shop.chain.included(hash as Hex)).blockNumber, seconds);
  return hash;
}

async function addTokens({ shop, lies, batcher }: Means): Promise<Added[]> {
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
}

const PLAIN = tokenMoney((to, { amountUnits }) => transferCalldata(to, amountUnits));

const USDC: Money = {
  ...PLAIN,
  coin: 'DollarCoin',
  checkout: (shop, expiresIn) => shop.checkout({ expires_in: expiresIn }),
  ways: {
    async asset({ shop, lies }, order) {
      const hash = await PLAIN.send(shop, order);
      lies.tokens.set(hash, shop.usdt);
      return hash;
    },
    ...PLAIN.ways,
    async tag({ shop, lies }, { amountUnits, tag }) {
      lies.marks.set(digitsOf(tag), 'everywhere');
      return shop.send(amountUnits + MORE_USDC, { tag });
    },
    async 'tag that a trace proves'({ shop, lies, smartWallet }, { amountUnits, tag }) {
      lies.marks.set(digitsOf(tag), 'everywhere');
      const data = transferCalldata(shop.wallet, amountUnits + MORE_USDC, tag);
      return shop.chain.batch(smartWallet, [{ target: shop.usdc, data }]);
    },
    nonce: payByAuthorization,
  },
  hides: [...PLAIN.hides, 'tag', 'tag that a trace proves', 'nonce'],
};

async function payByAuthorization({ shop, lies }: Means, { id, amountUnits }: Order): Promise<string> {
  const { chain, usdc, wallet, ctx } = shop;
  const [, , payer, relayer] = chain.accounts as [never, never, PrivateKeyAccount, PrivateKeyAccount];
  const signed = await signAuthorization(chain, usdc, payer, { to: wallet, value: amountUnits + MORE_USDC });
  const nonce = Buffer.from(signed.nonce.slice(2), 'hex');
  await rememberAuthorization(ctx.db, { sessionId: id, payer: signed.from, token: usdc, nonce });
  const hash = await chain.send({ from: relayer.address, to: usdc, data: authorizationCall(signed) });
  lies.nonces.set(hash, toHex(randomBytes(32)));
  return hash;
}

const MORE_WEI = 10n ** 13n;
const CENT_OF_ETHER = 10n ** 16n;

type ShownEther = { value?: bigint; from?: Address; to?: Address } | null;

/** Pays in ether by a plain transaction, and lies about it. */
async function payEther(means: Means, { amountUnits }: Order, shown: ShownEther): Promise<string> {
  const { shop } = means;
  const hash = await shop.chain.sendEth({ from: shop.customer, to: shop.wallet, amount: amountUnits });
  return lieAboutEther(means, { amountUnits, hash, isInside: false }, shown);
}

/** Pays in ether by a contract, which only traces and balances show, and lies about it. */
async function payEtherInside(means: Means, order: Order, shown: ShownEther): Promise<string> {
  const hash = await sendEtherInside(means, order);
  return lieAboutEther(means, { amountUnits: order.amountUnits, hash, isInside: true }, shown);
}

function sendEtherInside({ shop, batcher }: Means, { amountUnits }: Order): Promise<string> {
  return shop.chain.batch(batcher, [{ target: shop.wallet, value: amountUnits }]);
}

/** The liar shows other balances too, as far as its lie changes them. */
async function lieAboutEther(
  { shop, liar, lies }: Means,
  { amountUnits, hash, isInside }: { amountUnits: bigint; hash: string; isInside: boolean },
  shown: ShownEther,
): Promise<string> {
  const { blockNumber } = await shop.chain.included(hash as Hex);
  const moved = shown === null || shown.to !== undefined ? 0n : (shown.value ?? amountUnits);
  lies.ether.set(amountUnits, { hash: isInside ? null : hash, shown });
  liar.balances.push({ address: shop.wallet, from: blockNumber, by: moved - amountUnits });
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
    return { id: session.id, amountUnits: BigInt(whole + fraction.padEnd(18, '0')), tag };
  },
  send: (shop, { amountUnits }) => shop.chain.sendEth({ from: shop.customer, to: shop.wallet, amount: amountUnits }),
  fund: ({ chain }, to) => chain.sendEth({ to, amount: 100n * 10n ** 18n }),
  prepare: ({ merchant, wallet }) => merchant.createWallet({ asset: 'ETH', network: 'ethereum', address: wallet }),
  ways: {
    amount: (means, checkout) => payEther(means, checkout, { value: checkout.amountUnits - CENT_OF_ETHER / 10n }),
    from: (means, checkout) => payEther(means, checkout, { from: STRANGER }),
    to: (means, checkout) => payEther(means, checkout, { to: STRANGER }),
    'time to an earlier one': async (means, order) => date(means, await ETHER.send(means.shop, order), EARLIER),
    'time to a later one': async (means, order) => date(means, await ETHER.send(means.shop, order), LATER),
    async tag({ shop, lies }, { amountUnits, tag }) {
      const hash = await shop.chain.sendEth({
        from: shop.customer,
        to: shop.wallet,
        amount: amountUnits + MORE_WEI,
        data: toHex(tag),
      });
      lies.marks.set(digitsOf(tag), 'everywhere');
      return hash;
    },
    'left out': (means, checkout) => payEther(means, checkout, null),
    'amount inside a contract': (means, checkout) =>
      payEtherInside(means, checkout, { value: checkout.amountUnits - CENT_OF_ETHER / 10n }),
    'from inside a contract': (means, checkout) => payEtherInside(means, checkout, { from: STRANGER }),
    'to inside a contract': (means, checkout) => payEtherInside(means, checkout, { to: STRANGER }),
    'time inside a contract to an earlier one': async (means, order) =>
      date(means, await sendEtherInside(means, order), EARLIER),
    'time inside a contract to a later one': async (means, order) =>
      date(means, await sendEtherInside(means, order), LATER),
    async 'tag that a trace proves'({ shop, lies, smartWallet }, { amountUnits, tag }) {
      lies.marks.set(digitsOf(tag), 'in traces');
      const call = { target: shop.wallet, value: amountUnits + MORE_WEI, data: toHex(tag) };
      return shop.chain.batch(smartWallet, [call]);
    },
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
  hides: ['to', 'tag', 'left out', 'to inside a contract', 'tag that a trace proves', 'left out of a contract'],
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
export const TOKENS = liedAbout(USDC);
/** Ether as transactions, traces and balances show it. */
export const NATIVE = liedAbout(ETHER);

export function liedAbout(money: Money): LiedAbout {
  const { ways, hides } = money;
  return { changes: Object.keys(ways), hides, start: (...of) => start(money, ...of) };
}

async function start(money: Money, honestCount: number, liarIs: LiarIs): Promise<LiedTo> {
  const { place = ETHEREUM, coin, shownHash = (hash) => hash } = money;
  const stack = new AsyncDisposableStack();
  const chain = stack.use(await startAnvil());
  const { url } = money.node ? stack.use(await money.node(chain.url)) : chain;
  const liar = stack.use(await startRpcProxy(url));
  const honest: RpcProxy[] = [];
  for (let one = 0; one < honestCount; one += 1) honest.push(stack.use(await startRpcProxy(url)));
  const lies = noLies();
  liar.lie = lieAbout(lies);
  const lines: Record<string, unknown>[] = [];
  const rpcUrls = inOrder(liar, honest, liarIs);
  const shop = stack.use(
    await startSettlement({
      chain,
      place,
      ...(coin && { coin }),
      env: { [`RPC_${place.network.toUpperCase()}_URLS`]: rpcUrls.join(',') },
      overrides: { log: recording(lines) },
    }),
  );
  await money.prepare?.(shop);
  const batcher = await chain.deploy('Batcher');
  const smartWallet = await chain.deploy('ProxyWallet', [batcher]);
  for (const contract of [batcher, smartWallet]) await money.fund(shop, contract);
  const means = { shop, liar, lies, batcher, smartWallet };
  return {
    shop,
    network: place.network,
    since: 1n,
    lines,
    liar: new URL(liar.url).host,
    honest: honest.map((one) => new URL(one.url).host),
    async payAll(expiresIn) {
      const paid = new Map<string, Paid>();
      for (const [change, pay] of Object.entries(money.ways)) {
        const order = await money.checkout(shop, expiresIn);
        paid.set(change, { sessionId: order.id, txHash: shownHash(await pay(means, order)) });
      }
      return paid;
    },
    add: async () => (await money.add(means)).map((one) => ({ ...one, txHash: shownHash(one.txHash) })),
    dateEarly: (seconds) => void lies.times.set('all', -seconds),
    async payFirst() {
      const order = await money.checkout(shop, 3_600);
      const txHash = await money.send(shop, order);
      await chain.mine(5);
      return { sessionId: order.id, txHash: shownHash(txHash) };
    },
    honestChain() {
      const settings = { ...shop.app.config.networks[place.network], rpcUrls: honest.map((one) => one.url) };
      const only = place.open({ ...settings, tuning: { pauseMs: { first: 1, longest: 2 } } }, shop.ctx.log);
      stack.defer(() => only.close());
      return only;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export function digitsOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
