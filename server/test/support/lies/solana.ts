import { getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token';
import { createSolanaChain } from '../../../src/outside/chains/solana/chain.ts';
import { recording } from '../recording.ts';
import { startSolana, TOKEN_PROGRAM } from '../solana/index.ts';
import { type SolanaRpcProxy, startSolanaRpcProxy } from '../solana/rpc-proxy.ts';
import { type SolanaCheckout, type SolanaShop, startSolanaShop } from '../solana/shop.ts';
import { solTransfer, tokenTransfer } from '../solana/transactions.ts';
import { EARLIER, inOrder, LATER, type LiarIs, type LiedAbout, type LiedTo, type Paid } from './shop.ts';
import {
  lieAboutSolana,
  noSolanaLies,
  type SolanaLies,
  withAmounts,
  withKey,
  withLamports,
  withOwner,
} from './solana-answers.ts';

const LESS = 4_000_000n;
/** No exact amount of another session. */
const MORE = 100_000n;
const OTHER = 5_000_000n;

interface Means {
  shop: SolanaShop;
  lies: SolanaLies;
  stranger: string;
}

/** How a session is paid whose payment the liar changes in this way. */
type Ways = Record<string, (means: Means, checkout: SolanaCheckout) => Promise<string>>;

const USDC_WAYS: Ways = {
  async asset({ shop, lies }, { amountUnits }) {
    const signature = await shop.sendUsdc(amountUnits);
    lies.transactions.set(signature, withKey(shop.usdc, shop.usdt));
    return signature;
  },
  async 'asset to an unknown one'({ shop, lies, stranger }, { amountUnits }) {
    const signature = await shop.sendUsdc(amountUnits);
    lies.transactions.set(signature, withKey(shop.usdc, stranger));
    return signature;
  },
  async amount({ shop, lies }, { amountUnits }) {
    const signature = await shop.sendUsdc(amountUnits);
    const after = { [shop.wallet.address]: -LESS, [shop.customer.address]: LESS };
    lies.transactions.set(signature, withAmounts(new Map([[amountUnits, amountUnits - LESS]]), after));
    return signature;
  },
  async from({ shop, lies, stranger }, { amountUnits }) {
    const signature = await shop.sendUsdc(amountUnits);
    lies.transactions.set(signature, withOwner(shop.customer.address, stranger));
    return signature;
  },
  async to({ shop, lies, stranger }, { amountUnits }) {
    const signature = await shop.sendUsdc(amountUnits);
    lies.transactions.set(signature, withOwner(shop.wallet.address, stranger));
    return signature;
  },
  'time to an earlier one': async (means, checkout) =>
    date(means, await means.shop.sendUsdc(checkout.amountUnits), EARLIER),
  'time to a later one': async (means, checkout) => date(means, await means.shop.sendUsdc(checkout.amountUnits), LATER),
  async reference({ shop, lies, stranger }, { amountUnits, reference }) {
    const signature = await shop.sendUsdc(amountUnits + MORE, { references: [reference] });
    lies.transactions.set(signature, withKey(reference, stranger));
    return signature;
  },
  async 'order of instructions'({ shop, lies }, { amountUnits }) {
    const { cluster, usdc, customer, wallet } = shop;
    const [source, destination] = [
      await cluster.tokenAccount(usdc, customer.address),
      await cluster.tokenAccount(usdc, wallet.address),
    ];
    const transfer = (amount: bigint) =>
      tokenTransfer({
        source,
        mint: usdc,
        destination,
        authority: customer,
        amount,
        decimals: 6,
        program: TOKEN_PROGRAM,
      });
    const signature = await cluster.send([transfer(amountUnits), transfer(OTHER)], { from: customer });
    const swapped = new Map([
      [amountUnits, OTHER],
      [OTHER, amountUnits],
    ]);
    lies.transactions.set(signature, withAmounts(swapped));
    return signature;
  },
  async 'left out'({ shop, lies }, { amountUnits }) {
    const signature = await shop.sendUsdc(amountUnits);
    lies.transactions.set(signature, null);
    return signature;
  },
};

const LESS_LAMPORTS = 1_000_000n;
/** No exact amount of another session. */
const MORE_LAMPORTS = 10_000n;
const OTHER_LAMPORTS = 2_000_000_000n;

const SOL_WAYS: Ways = {
  async 'amount of SOL'({ shop, lies }, { amountUnits }) {
    const signature = await shop.sendSol(amountUnits);
    const after = { [shop.wallet.address]: -LESS_LAMPORTS, [shop.customer.address]: LESS_LAMPORTS };
    lies.transactions.set(signature, withLamports(new Map([[amountUnits, amountUnits - LESS_LAMPORTS]]), after));
    return signature;
  },
  async 'sender of SOL'({ shop, lies, stranger }, { amountUnits }) {
    const signature = await shop.sendSol(amountUnits);
    lies.transactions.set(signature, withKey(shop.customer.address, stranger));
    return signature;
  },
  async 'recipient of SOL'({ shop, lies, stranger }, { amountUnits }) {
    const signature = await shop.sendSol(amountUnits);
    lies.transactions.set(signature, withKey(shop.wallet.address, stranger));
    return signature;
  },
  'time of SOL to an earlier one': async (means, checkout) =>
    date(means, await means.shop.sendSol(checkout.amountUnits), EARLIER),
  'time of SOL to a later one': async (means, checkout) =>
    date(means, await means.shop.sendSol(checkout.amountUnits), LATER),
  async 'reference of SOL'({ shop, lies, stranger }, { amountUnits, reference }) {
    const signature = await shop.sendSol(amountUnits + MORE_LAMPORTS, { references: [reference] });
    lies.transactions.set(signature, withKey(reference, stranger));
    return signature;
  },
  async 'order of SOL'({ shop, lies }, { amountUnits }) {
    const { cluster, customer, wallet } = shop;
    const transfer = (amount: bigint) => solTransfer(customer, wallet.address, amount);
    const signature = await cluster.send([transfer(amountUnits), transfer(OTHER_LAMPORTS)], { from: customer });
    const swapped = new Map([
      [amountUnits, OTHER_LAMPORTS],
      [OTHER_LAMPORTS, amountUnits],
    ]);
    lies.transactions.set(signature, withLamports(swapped));
    return signature;
  },
  async 'SOL left out'({ shop, lies }, { amountUnits }) {
    const signature = await shop.sendSol(amountUnits);
    lies.transactions.set(signature, null);
    return signature;
  },
};

const WAYS: Ways = { ...USDC_WAYS, ...SOL_WAYS };

/** USDC and SOL on Solana. */
export const SOLANA: LiedAbout = {
  changes: Object.keys(WAYS),
  hides: [
    'asset to an unknown one',
    'to',
    'reference',
    'left out',
    'recipient of SOL',
    'reference of SOL',
    'SOL left out',
  ],
  start,
};

async function start(honestCount: number, liarIs: LiarIs): Promise<LiedTo> {
  const stack = new AsyncDisposableStack();
  const cluster = stack.use(await startSolana());
  cluster.slots(40);
  const liar = stack.use(await startSolanaRpcProxy(cluster.url));
  const honest: SolanaRpcProxy[] = [];
  for (let one = 0; one < honestCount; one += 1) honest.push(stack.use(await startSolanaRpcProxy(cluster.url)));
  const lies = noSolanaLies();
  liar.lie = lieAboutSolana(lies);
  const lines: Record<string, unknown>[] = [];
  const rpcUrls = inOrder(liar, honest, liarIs);
  const shop = stack.use(await startSolanaShop({ cluster, rpcUrls, overrides: { log: recording(lines) } }));
  const stranger = await cluster.newWallet();
  await openAccount(shop);
  const means = { shop, lies, stranger: stranger.address };
  return {
    shop,
    network: 'solana',
    since: cluster.head().number,
    lines,
    liar: new URL(liar.url).host,
    honest: honest.map(({ url }) => new URL(url).host),
    async payAll(expiresIn) {
      const paid = new Map<string, Paid>();
      for (const [change, pay] of Object.entries(WAYS)) {
        const checkout = await shop.checkout(change in SOL_WAYS ? 'SOL' : 'USDC', { expires_in: expiresIn });
        paid.set(change, { sessionId: checkout.id, txHash: await pay(means, checkout) });
      }
      return paid;
    },
    async add() {
      const amountUnits = 500_000_000n;
      const txHash = await cluster.transferToken({
        mint: shop.usdc,
        to: stranger.address,
        from: shop.customer,
        amount: amountUnits,
      });
      lies.transactions.set(txHash, withOwner(stranger.address, shop.wallet.address));
      lies.listed.push({ address: shop.wallet.address, signature: txHash, slot: slotOf(shop, txHash) });

      const lamports = 3_000_000_003n;
      const sol = await cluster.transferSol({ to: stranger.address, from: shop.customer, amount: lamports });
      lies.transactions.set(sol, withKey(stranger.address, shop.wallet.address));
      lies.listed.push({ address: shop.wallet.address, signature: sol, slot: slotOf(shop, sol) });
      return [
        { txHash, amountUnits },
        { txHash: sol, amountUnits: lamports },
      ];
    },
    dateEarly: (seconds) => void lies.times.set('all', -seconds),
    async payFirst() {
      const { id, amountUnits } = await shop.checkout('USDC');
      const txHash = await shop.sendUsdc(amountUnits);
      cluster.slots(5);
      return { sessionId: id, txHash };
    },
    honestChain() {
      const settings = { ...shop.app.config.networks.solana, rpcUrls: honest.map(({ url }) => url) };
      const tuning = { pauseMs: { first: 1, longest: 2 }, historiesPerSecond: Number.POSITIVE_INFINITY };
      const only = createSolanaChain({ ...settings, tuning }, shop.ctx.log);
      stack.defer(() => only.close());
      return only;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The block of this payment is dated this many seconds later. */
function date({ shop, lies }: Means, signature: string, seconds: number): string {
  lies.times.set(slotOf(shop, signature), seconds);
  return signature;
}

/** The wallet's account for USDC exists, so that a transaction can pay it twice. */
async function openAccount({ cluster, usdc, wallet, customer }: SolanaShop): Promise<void> {
  const ata = await cluster.tokenAccount(usdc, wallet.address);
  const opened = getCreateAssociatedTokenIdempotentInstruction({
    payer: customer,
    ata,
    owner: wallet.address,
    mint: usdc as never,
  });
  await cluster.send([opened], { from: customer });
}

function slotOf({ cluster }: SolanaShop, signature: string): number {
  return Number(
    cluster.rpc<{ slot: bigint }>('getTransaction', [
      signature,
      { commitment: 'confirmed', maxSupportedTransactionVersion: 0 },
    ]).slot,
  );
}
