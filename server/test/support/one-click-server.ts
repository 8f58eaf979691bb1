import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { type Asset, PAY_ASSETS } from '@quittance/contract';
import { formatUnits } from 'viem';
import { listen } from './listen.ts';
import { isRefundAddress } from './refund-address.ts';

/**
 * A double of 1Click: speaks the provider's protocol, signs with its own key, rejects what the provider rejects, and
 * can be late, wrong, lying, unresponsive or down. Tests report deposits to it, and send
 * the payouts on the chain themselves.
 */
export interface OneClickServer extends AsyncDisposable {
  url: string;
  /** `ed25519:…`, for `ROUTES_ONECLICK_SIGNER`. */
  signer: string;
  orders: ReadonlyMap<string, OneClickOrder>;
  requests: { method: string; path: string; body: unknown }[];
  /** Money has reached a deposit address. */
  deposit(depositAddress: string, amountUnits: bigint, txHash?: string): void;
  /** Puts an order into any state, with any details. */
  set(depositAddress: string, status: OneClickStatus, details?: Record<string, unknown>): void;
  /** Changes answers before they are sent: to lie, to be late (a promise), to fail. `sign` signs a lie correctly. */
  misbehave(how: Misbehavior | undefined): void;
  sign(answer: QuoteAnswer): QuoteAnswer;
  stop(): Promise<void>;
}

export type OneClickStatus =
  | 'PENDING_DEPOSIT'
  | 'KNOWN_DEPOSIT_TX'
  | 'INCOMPLETE_DEPOSIT'
  | 'PROCESSING'
  | 'SUCCESS'
  | 'REFUNDED'
  | 'FAILED';
export type Misbehavior = (
  path: string,
  answer: { status: number; body: unknown },
) => { status: number; body: unknown } | 'silent' | 'reset' | Promise<{ status: number; body: unknown }>;

export interface QuoteAnswer {
  correlationId: string;
  timestamp: string;
  signature: string;
  quoteRequest: Record<string, unknown>;
  quote: Record<string, unknown>;
}

export interface OneClickOrder {
  pay: Asset;
  receive: Asset;
  answer: QuoteAnswer;
  status: OneClickStatus;
  details: Record<string, unknown>;
}

const ASSET_IDS: Record<string, string> = {
  ETH_ETHEREUM: 'nep141:eth.omft.near',
  USDC_ETHEREUM: 'nep141:eth-0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48.omft.near',
  USDT_ETHEREUM: 'nep141:eth-0xdac17f958d2ee523a2206206994597c13d831ec7.omft.near',
  ETH_BASE: 'nep141:base.omft.near',
  USDC_BASE: 'nep141:base-0x833589fcd6edb6e08f4c7c32d4f71b54bda02913.omft.near',
  ETH_ARBITRUM: 'nep141:arb.omft.near',
  USDC_ARBITRUM: 'nep141:arb-0xaf88d065e77c8cc2239327c5edb3a432268e5831.omft.near',
  POL_POLYGON: 'nep245:v2_1.omni.hot.tg:137_11111111111111111111',
  USDC_POLYGON: 'nep245:v2_1.omni.hot.tg:137_qiStmoQJDQPTebaPjgx5VBxZv6L',
  BNB_BNB: 'nep245:v2_1.omni.hot.tg:56_11111111111111111111',
  AVAX_AVALANCHE: 'nep245:v2_1.omni.hot.tg:43114_11111111111111111111',
  SOL_SOLANA: 'nep141:sol.omft.near',
  USDC_SOLANA: 'nep141:sol-5ce3bf3a31af18be40ba30f721101b4341690186.omft.near',
  USDT_SOLANA: 'nep141:sol-c800a4bd850783ccb82c2b2c7e84175443606352.omft.near',
  BTC_BITCOIN: 'nep141:btc.omft.near',
  TRX_TRON: 'nep141:tron.omft.near',
  USDT_TRON: 'nep141:tron-d28a265909efecdcee7c5028585214ea0b96f015.omft.near',
};
const BLOCKCHAINS: Record<string, string> = {
  ethereum: 'eth',
  base: 'base',
  polygon: 'pol',
  arbitrum: 'arb',
  solana: 'sol',
  bitcoin: 'btc',
  bnb: 'bsc',
  avalanche: 'avax',
  tron: 'tron',
};
const CONTRACTS: Record<string, string> = {
  USDC_ETHEREUM: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  USDT_ETHEREUM: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  USDC_BASE: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  USDC_POLYGON: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
  USDC_ARBITRUM: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  USDC_SOLANA: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  USDT_SOLANA: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  USDT_TRON: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
};
const USD: Record<string, number> = {
  ETH: 2500,
  SOL: 150,
  BTC: 60_000,
  BNB: 600,
  POL: 0.5,
  AVAX: 30,
  TRX: 0.15,
  USDC: 1,
  USDT: 1,
};
const SIGNED_REQUEST = [
  'dry',
  'swapType',
  'slippageTolerance',
  'originAsset',
  'depositType',
  'destinationAsset',
  'amount',
  'refundTo',
  'refundType',
  'recipient',
  'recipientType',
  'deadline',
];
const SIGNED_IF_TRUTHY = [
  'quoteWaitingTimeMs',
  'referral',
  'virtualChainRecipient',
  'virtualChainRefundRecipient',
  'customRecipientMsg',
];
const SIGNED_QUOTE = [
  'amountIn',
  'amountInFormatted',
  'amountInUsd',
  'minAmountIn',
  'amountOut',
  'amountOutFormatted',
  'amountOutUsd',
  'minAmountOut',
];
const SIGNED_BINDING = [
  'depositAddress',
  'depositMemo',
  'deadline',
  'timeWhenInactive',
  'timeEstimate',
  'virtualChainRecipient',
  'virtualChainRefundRecipient',
  'customRecipientMsg',
  'refundFee',
  'withdrawFee',
];
const THREE_DAYS_MS = 3 * 86_400_000;

export async function startOneClick(options: { key?: string; now?: () => Date } = {}): Promise<OneClickServer> {
  const secret = randomBytes(32);
  const now = options.now ?? (() => new Date());
  const orders = new Map<string, OneClickOrder>();
  const requests: OneClickServer['requests'] = [];
  let misbehavior: Misbehavior | undefined;

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '', 'http://one-click');
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
    requests.push({ method: request.method ?? '', path: url.pathname, body });
    const authorized =
      !options.key || request.headers.authorization === `Bearer ${options.key}` || url.pathname === '/v0/tokens';
    const honest = authorized
      ? answer(request.method ?? '', url, body)
      : { status: 401, body: { message: 'Unauthorized' } };
    const outcome = misbehavior ? await misbehavior(url.pathname, honest) : honest;
    if (outcome === 'silent') return;
    if (outcome === 'reset') return request.socket.destroy();
    response
      .writeHead(outcome.status, { 'content-type': 'application/json' })
      .end(typeof outcome.body === 'string' ? outcome.body : JSON.stringify(outcome.body));
  });

  function answer(method: string, url: URL, body: unknown): { status: number; body: unknown } {
    if (method === 'GET' && url.pathname === '/v0/tokens') return { status: 200, body: tokens() };
    if (method === 'POST' && url.pathname === '/v0/quote') return quote(body as Record<string, unknown>);
    if (method === 'GET' && url.pathname === '/v0/status') return status(url.searchParams.get('depositAddress') ?? '');
    if (method === 'POST' && url.pathname === '/v0/deposit/submit')
      return submit(body as { depositAddress?: unknown; txHash?: unknown } | undefined);
    return { status: 404, body: { message: `Cannot ${method} ${url.pathname}` } };
  }

  function quote(sent: Record<string, unknown>): { status: number; body: unknown } {
    const refuse = (message: string) => ({
      status: 400,
      body: { message, correlationId: 'c', timestamp: now().toISOString(), path: '/v0/quote' },
    });
    const pay = PAY_ASSETS.find((asset) => ASSET_IDS[asset.key] === sent.originAsset);
    const receive = PAY_ASSETS.find((asset) => ASSET_IDS[asset.key] === sent.destinationAsset);
    if (!pay) return refuse('tokenIn is not valid');
    if (!receive) return refuse('tokenOut is not valid');
    if (sent.swapType !== 'EXACT_OUTPUT') return refuse('swapType is not supported here');
    if (typeof sent.amount !== 'string' || !/^[1-9][0-9]*$/.test(sent.amount))
      return refuse('amount must be a positive integer string');
    if (!isRefundAddress(pay.network, sent.refundTo)) return refuse('refundTo is not valid');
    if (!isRefundAddress(receive.network, sent.recipient)) return refuse('recipient is not valid');
    if (new Date(String(sent.deadline)).getTime() <= now().getTime()) return refuse('deadline is in the past');
    const output = BigInt(sent.amount);
    const outputUsd = (Number(output) / 10 ** receive.decimals) * (USD[receive.asset] ?? 1);
    if (outputUsd < 0.05)
      return refuse(
        `Amount is too low for bridge, try at least ${BigInt(Math.ceil((0.06 / (USD[pay.asset] ?? 1)) * 10 ** pay.decimals))}`,
      );

    const feeBps = (sent.appFees as { fee: number }[] | undefined)?.reduce((sum, { fee }) => sum + fee, 0) ?? 20;
    const netUnits = BigInt(Math.ceil((outputUsd / (USD[pay.asset] ?? 1)) * 10 ** pay.decimals));
    const minAmountIn = (netUnits * BigInt(10_000 + feeBps)) / 10_000n + 1n;
    const amountIn = (minAmountIn * BigInt(10_000 + Number(sent.slippageTolerance))) / 10_000n;
    const depositAddress = depositAddressFor(pay.network);
    const later = new Date(new Date(String(sent.deadline)).getTime() + THREE_DAYS_MS).toISOString();
    const answered: QuoteAnswer = {
      correlationId: randomBytes(8).toString('hex'),
      timestamp: now().toISOString(),
      signature: '',
      quoteRequest: { ...sent, appFees: shared(sent.appFees as { recipient: string; fee: number }[] | undefined) },
      quote: {
        amountIn: String(amountIn),
        amountInFormatted: formatUnits(amountIn, pay.decimals),
        amountInUsd: ((Number(amountIn) / 10 ** pay.decimals) * (USD[pay.asset] ?? 1)).toFixed(4),
        minAmountIn: String(minAmountIn),
        amountOut: sent.amount,
        amountOutFormatted: formatUnits(output, receive.decimals),
        amountOutUsd: outputUsd.toFixed(4),
        minAmountOut: sent.amount,
        timeEstimate: 60,
        refundFee: '1900',
        withdrawFee: '300000',
        ...(sent.dry ? {} : { depositAddress, deadline: later, timeWhenInactive: later }),
      },
    };
    const signed = sign(answered);
    if (!sent.dry) orders.set(depositAddress, { pay, receive, answer: signed, status: 'PENDING_DEPOSIT', details: {} });
    return { status: 201, body: signed };
  }

  function submit(sent: { depositAddress?: unknown; txHash?: unknown } | undefined): { status: number; body: unknown } {
    if (typeof sent?.depositAddress !== 'string' || typeof sent.txHash !== 'string')
      return { status: 400, body: { message: 'Bad Request - Invalid input data' } };
    const order = orders.get(sent.depositAddress);
    if (order?.status === 'PENDING_DEPOSIT') order.status = 'KNOWN_DEPOSIT_TX';
    return status(sent.depositAddress);
  }

  function status(depositAddress: string): { status: number; body: unknown } {
    const order = orders.get(depositAddress);
    if (!order) return { status: 404, body: { message: 'Deposit address not found' } };
    return {
      status: 200,
      body: {
        correlationId: order.answer.correlationId,
        quoteResponse: order.answer,
        status: order.status,
        updatedAt: now().toISOString(),
        swapDetails: {
          intentHashes: [],
          nearTxHashes: [],
          originChainTxHashes: [],
          destinationChainTxHashes: [],
          ...order.details,
        },
      },
    };
  }

  function sign(unsigned: QuoteAnswer): QuoteAnswer {
    const { quoteRequest, quote: quoted, timestamp } = unsigned;
    const fields: Record<string, unknown> = { timestamp };
    for (const name of SIGNED_REQUEST) if (quoteRequest[name] !== undefined) fields[name] = quoteRequest[name];
    for (const name of SIGNED_IF_TRUTHY) if (quoteRequest[name]) fields[name] = quoteRequest[name];
    for (const name of SIGNED_QUOTE) if (quoted[name] !== undefined) fields[name] = quoted[name];
    if (!quoteRequest.dry) for (const name of SIGNED_BINDING) if (quoted[name]) fields[name] = quoted[name];
    const text = `{${Object.keys(fields)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${JSON.stringify(fields[name])}`)
      .join(',')}}`;
    const message = new TextEncoder().encode(base58.encode(createHash('sha256').update(text).digest()));
    return { ...unsigned, signature: `ed25519:${base58.encode(ed25519.sign(message, secret))}` };
  }

  const { url, stop } = await listen(server);
  return {
    url,
    signer: `ed25519:${base58.encode(ed25519.getPublicKey(secret))}`,
    orders,
    requests,
    sign,
    deposit(depositAddress, amountUnits, txHash) {
      const order = orders.get(depositAddress);
      if (!order) throw new Error(`no order has the deposit address ${depositAddress}`);
      const deposited = BigInt(String(order.details.depositedAmount ?? '0')) + amountUnits;
      order.details = {
        ...order.details,
        depositedAmount: String(deposited),
        originChainTxHashes: txHash ? [{ hash: txHash, explorerUrl: '' }] : [],
      };
      order.status = deposited >= BigInt(String(order.answer.quote.minAmountIn)) ? 'PROCESSING' : 'INCOMPLETE_DEPOSIT';
    },
    set(depositAddress, state, details = {}) {
      const order = orders.get(depositAddress);
      if (!order) throw new Error(`no order has the deposit address ${depositAddress}`);
      order.status = state;
      order.details = { ...order.details, ...details };
    },
    misbehave(how) {
      misbehavior = how;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function tokens() {
  return PAY_ASSETS.map((asset) => ({
    assetId: ASSET_IDS[asset.key],
    decimals: asset.decimals,
    blockchain: BLOCKCHAINS[asset.network],
    symbol: asset.asset,
    price: USD[asset.asset],
    priceUpdatedAt: new Date().toISOString(),
    ...(CONTRACTS[asset.key] && { contractAddress: CONTRACTS[asset.key] }),
  })).concat([
    // A bridged coin of the same symbol, which must not be taken for the issuer's own.
    {
      assetId: 'nep141:arb-bridged.omft.near',
      decimals: 6,
      blockchain: 'arb',
      symbol: 'USDC',
      price: 1,
      priceUpdatedAt: new Date().toISOString(),
      contractAddress: '0xff970a61a04b1ca14834a43f5de4533ebddb5cc8',
    },
  ]);
}

/** The provider keeps half of an integrator's fee. */
function shared(fees: { recipient: string; fee: number }[] | undefined) {
  if (!fees) return [{ recipient: 'provider.near', fee: 20 }];
  return fees.flatMap(({ recipient, fee }) => [
    { recipient, fee: Math.ceil(fee / 2) },
    { recipient: 'provider.near', fee: Math.floor(fee / 2) },
  ]);
}

function depositAddressFor(network: string): string {
  switch (network) {
    case 'solana':
      return base58.encode(randomBytes(32));
    case 'bitcoin':
      return base58Check(0x00);
    case 'tron':
      return base58Check(0x41);
    default:
      return `0x${randomBytes(20).toString('hex')}`;
  }
}

function base58Check(prefix: number): string {
  const payload = Buffer.concat([Buffer.from([prefix]), randomBytes(20)]);
  const once = createHash('sha256').update(payload).digest();
  return base58.encode(Buffer.concat([payload, createHash('sha256').update(once).digest().subarray(0, 4)]));
}
