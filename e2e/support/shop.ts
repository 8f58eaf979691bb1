import { EVENT_TYPES } from '@quittance/contract';
import { type Address, type Hex, parseUnits } from 'viem';
import type { KeyPairSigner } from '@solana/kit';
import { startAnvil, type TestChain } from '@quittance/server/testing/anvil';
import { type Receiver, startReceiver } from '@quittance/server/testing/receiver';
import { startSolana, type TestSolana } from '@quittance/server/testing/solana/index';
import { type Service, startService } from './service.ts';

/** A merchant with a running service, a payout wallet and a webhook endpoint. */
export interface Shop extends AsyncDisposable {
  service: Service;
  url: string;
  key: string;
  login: string;
  webhooks: Receiver;
  /** A checkout session with the address of its page. */
  session(fields?: Record<string, unknown>): Promise<{ id: string; checkout_url: string }>;
  link(fields?: Record<string, unknown>): Promise<{ id: string; url: string }>;
  /** Changes the account: name, colors, support contact. */
  account(changes: Record<string, unknown>): Promise<void>;
  /** The session as its customer sees it. */
  look(sessionId: string): Promise<any>;
  /** As the merchant. */
  call(method: string, path: string, body?: unknown): Promise<any>;
  /** The first event of this type, once it has arrived. */
  waitForEvent(type: string): Promise<any>;
}

export interface ShopOptions {
  mode?: 'test' | 'live';
  wallet: { asset: string; network: string; address: string };
  env?: Record<string, string>;
}

let shops = 0;

export async function openShop({ mode = 'live', wallet, env = {} }: ShopOptions): Promise<Shop> {
  const stack = new AsyncDisposableStack();
  const service = stack.use(await startService(env));
  const webhooks = await startReceiver();
  stack.defer(() => webhooks.close());

  const email = `ada${++shops}@shop.example`;
  await service.call('POST', '/v1/auth/email/start', { email });
  const { session_token: login } = await service.call<{ session_token: string }>('POST', '/v1/auth/email/verify', {
    email,
    code: await service.mailedCode(email),
  });
  const { secret: key } = await service.call<{ secret: string }>(
    'POST',
    '/v1/api-keys',
    { mode, label: 'shop' },
    login,
  );
  const call = (method: string, path: string, body?: unknown) => service.call<never>(method, path, body, key);
  const { id: walletId } = (await call('POST', '/v1/payout-wallets', wallet)) as { id: string };
  await call('POST', '/v1/webhook-endpoints', { url: webhooks.url, events: EVENT_TYPES });
  const account = async (changes: Record<string, unknown>) => {
    await service.call('PATCH', '/v1/account', changes, login);
  };
  await account({ name: 'Fern & Fog', support_email: 'help@fern-and-fog.example' });

  return {
    service,
    url: service.url,
    key,
    login,
    webhooks,
    account,
    call,
    session: (fields = {}) =>
      call('POST', '/v1/checkout/sessions', { amount: '49.00', currency: 'USD', description: 'Two ferns', ...fields }),
    link: (fields = {}) =>
      call('POST', '/v1/payment-links', {
        payout_wallet_id: walletId,
        amount: '49.00',
        currency: 'USD',
        description: 'A fern a month',
        ...fields,
      }),
    look: (id) => service.call('GET', `/v1/public/checkout/sessions/${id}`),
    async waitForEvent(type) {
      const [first] = await webhooks.waitFor(1, (request) => request.event?.type === type);
      return first?.event;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A live shop that is paid in USDC on a local Ethereum node. */
export interface EthereumShop extends Shop {
  chain: TestChain;
  usdc: Address;
  wallet: Address;
  customer: Address;
  /** The id of a payment of 49.00 that is paid. The next one is sent meanwhile, so that it need not wait for its blocks. */
  paid(): Promise<string>;
  /** Sends USDC from the customer's wallet, in the amount that the page shows. */
  send(amount: string, options?: { from?: Address; to?: Address }): Promise<Hex>;
  /** Blocks are mined by hand until this is disposed, so that what a page shows between two blocks stays. */
  holdBlocks(): Promise<AsyncDisposable>;
}

export const CONFIRMATIONS = 3;
const BLOCK_SECONDS = 1;

/** `started` is a chain that already holds what the story needs. */
export async function openEthereumShop(
  env: Record<string, string> = {},
  wallet: { asset?: string } = {},
  started?: TestChain,
  contract?: 'TestToken' | 'DollarCoin',
): Promise<EthereumShop> {
  const stack = new AsyncDisposableStack();
  const chain = stack.use(started ?? (await startAnvil({ blockTimeSeconds: BLOCK_SECONDS })));
  const usdc = await chain.deployToken(contract && { contract });
  const [, customer, merchant] = chain.accounts.map((account) => account.address) as [Address, Address, Address];
  const shop = stack.use(
    await openShop({
      wallet: { asset: 'USDC', network: 'ethereum', address: merchant, ...wallet },
      env: {
        RPC_ETHEREUM_URLS: chain.url,
        CHAIN_ID_ETHEREUM: String(chain.chainId),
        CONFIRMATIONS_ETHEREUM: String(CONFIRMATIONS),
        TOKEN_USDC_ETHEREUM: usdc,
        ...env,
      },
    }),
  );
  const send: EthereumShop['send'] = (amount, { from = customer, to = merchant } = {}) =>
    chain.transferErc20({ token: usdc, from, to, amount: parseUnits(amount, 6) });
  const pay = async () => {
    const { id } = await shop.session();
    const choice = { pay_asset: 'USDC', pay_network: 'ethereum' };
    const { payment } = await shop.service.call<any>('POST', `/v1/public/checkout/sessions/${id}/pay`, choice);
    await send(payment.amount);
    return id;
  };
  let next: Promise<string> | undefined;
  return {
    ...shop,
    chain,
    usdc,
    wallet: merchant,
    customer,
    send,
    async paid() {
      const id = await (next ?? pay());
      next = pay();
      // A story that ends meanwhile needs no further one.
      next.catch(() => {});
      const isPaid = ({ event }: { event?: any }) => event?.type === 'payment.paid' && event.data.session === id;
      const [first] = await shop.webhooks.waitFor(1, isPaid);
      return first?.event.data.id;
    },
    async holdBlocks() {
      await chain.rpc('evm_setIntervalMining', [0]);
      return {
        async [Symbol.asyncDispose]() {
          await chain.rpc('evm_setIntervalMining', [BLOCK_SECONDS]);
        },
      };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A live shop that is paid in USDC on a local Solana cluster. */
export interface SolanaShop extends Shop {
  cluster: TestSolana;
  usdc: string;
  wallet: KeyPairSigner;
  /** Holds SOL and USDC. */
  customer: KeyPairSigner;
}

export async function openSolanaShop(
  env: Record<string, string> = {},
  wallet: { asset?: string } = {},
): Promise<SolanaShop> {
  const stack = new AsyncDisposableStack();
  const cluster = stack.use(await startSolana({ slotMs: 200 }));
  // A single provider is read a second time 32 slots behind its head. One that lacks them is left alone for a while.
  cluster.slots(40);
  const usdc = await cluster.createMint();
  const [customer, merchant] = [await cluster.newWallet(), await cluster.newWallet()];
  await cluster.mint(usdc, customer.address, 1_000_000_000n);
  const shop = stack.use(
    await openShop({
      wallet: { asset: 'USDC', network: 'solana', address: merchant.address, ...wallet },
      env: { RPC_SOLANA_URLS: cluster.url, GENESIS_SOLANA: cluster.genesisHash, TOKEN_USDC_SOLANA: usdc, ...env },
    }),
  );
  return { ...shop, cluster, usdc, wallet: merchant, customer, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** An amount as pages show it: without zeros at the end, which one amount in ten has. */
export function shownAmount(amount: string): string {
  return amount.replace(/\.?0+$/, '');
}
