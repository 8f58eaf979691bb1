import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { type Asset, type Network, PAY_ASSETS } from '@quittance/contract';
import { base58, bech32 } from '@scure/base';
import { type Address, encodeFunctionData, erc20Abi, formatUnits } from 'viem';
import { listen } from './listen.ts';
import { isRefundAddress } from './refund-address.ts';

/** A double of Relay: strict deposit addresses, its error codes, and every way to misbehave. */
export interface RelayServer extends AsyncDisposable {
  url: string;
  orders: ReadonlyMap<string, RelayOrder>;
  requests: { method: string; path: string; body: unknown }[];
  /** Puts an order into any state, by its request id. */
  set(requestId: string, status: string, details?: Record<string, unknown>): void;
  misbehave(how: RelayMisbehavior | undefined): void;
  stop(): Promise<void>;
}

export type RelayMisbehavior = (
  path: string,
  answer: { status: number; body: unknown },
) => { status: number; body: unknown } | 'silent' | 'reset' | Promise<{ status: number; body: unknown }>;

export interface RelayOrder {
  pay: Asset;
  receive: Asset;
  depositAddress: string;
  /** The deadline for deposits. */
  deadline: Date;
  request: Record<string, unknown>;
  inputUnits: bigint;
  status: string;
  details: Record<string, unknown>;
}

const EVM_NATIVE = '0x0000000000000000000000000000000000000000';
const CURRENCIES: Record<number, Record<string, { symbol: string; decimals: number; usd: number }>> = {
  1: {
    [EVM_NATIVE]: eth(),
    '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48': dollar('USDC'),
    '0xdac17f958d2ee523a2206206994597c13d831ec7': dollar('USDT'),
  },
  8453: { [EVM_NATIVE]: eth(), '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913': dollar('USDC') },
  42161: { [EVM_NATIVE]: eth(), '0xaf88d065e77c8cc2239327c5edb3a432268e5831': dollar('USDC') },
  137: {
    [EVM_NATIVE]: { symbol: 'POL', decimals: 18, usd: 0.5 },
    '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359': dollar('USDC'),
  },
  56: { [EVM_NATIVE]: { symbol: 'BNB', decimals: 18, usd: 600 } },
  43114: { [EVM_NATIVE]: { symbol: 'AVAX', decimals: 18, usd: 30 } },
  792703809: {
    '11111111111111111111111111111111': { symbol: 'SOL', decimals: 9, usd: 150 },
    epjfwdd5aufqssqem2qn1xzybapc8g4weggkzwytdt1v: dollar('USDC'),
    es9vmfrzacermjfrf4h2fyd4kconky11mcce8benwnyb: dollar('USDT'),
  },
  8253038: { bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8: { symbol: 'BTC', decimals: 8, usd: 60_000 } },
};

const DEPOSITORY = '0x4cd00e387622c35bddb9b4c962c136462338bc31';
const CHAIN_NAMES: Record<number, string> = {
  1: 'ethereum',
  8453: 'base',
  42161: 'arbitrum',
  137: 'polygon',
  56: 'bsc',
  43114: 'avalanche',
  792703809: 'solana',
  8253038: 'bitcoin',
};
const NETWORKS: Record<number, Network> = {
  1: 'ethereum',
  8453: 'base',
  42161: 'arbitrum',
  137: 'polygon',
  56: 'bnb',
  43114: 'avalanche',
  792703809: 'solana',
  8253038: 'bitcoin',
};

export async function startRelay(options: { key?: string; now?: () => Date } = {}): Promise<RelayServer> {
  const now = options.now ?? (() => new Date());
  const orders = new Map<string, RelayOrder>();
  const requests: RelayServer['requests'] = [];
  let misbehavior: RelayMisbehavior | undefined;

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '', 'http://relay');
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
    requests.push({ method: request.method ?? '', path: url.pathname, body });
    const authorized = !options.key || request.headers['x-api-key'] === options.key || url.pathname === '/chains';
    const honest = authorized
      ? answer(url, body as Record<string, unknown>)
      : { status: 401, body: { message: 'Invalid API key', errorCode: 'UNAUTHORIZED' } };
    const outcome = misbehavior ? await misbehavior(url.pathname, honest) : honest;
    if (outcome === 'silent') return;
    if (outcome === 'reset') return request.socket.destroy();
    response
      .writeHead(outcome.status, { 'content-type': 'application/json' })
      .end(typeof outcome.body === 'string' ? outcome.body : JSON.stringify(outcome.body));
  });

  function answer(url: URL, body: Record<string, unknown>): { status: number; body: unknown } {
    switch (url.pathname) {
      case '/chains':
        return { status: 200, body: { chains: chains() } };
      case '/quote/v2':
        return quote(body);
      case '/intents/status/v3':
        return statusOf(orders.get(url.searchParams.get('requestId') ?? ''));
      case '/transactions/deposit-address/reindex':
        return Number.isInteger(body?.chainId) && typeof body.depositAddress === 'string'
          ? { status: 200, body: { message: 'Reindexing' } }
          : { status: 400, body: { message: 'chainId and depositAddress are required' } };
      default:
        return { status: 404, body: { message: 'Not found' } };
    }
  }

  function statusOf(order: RelayOrder | undefined): Answer {
    if (!order) return { status: 404, body: { message: 'Request not found' } };
    const { originChainId, destinationChainId } = order.request;
    const updatedAt = now().getTime();
    return {
      status: 200,
      body: { status: order.status, updatedAt, originChainId, destinationChainId, ...order.details },
    };
  }

  function quote(sent: Sent): Answer {
    const terms = readTerms(sent);
    if ('refused' in terms) return terms.refused;
    const deadline = new Date(now().getTime() + Number(sent.ttl ?? 1_800) * 1_000);
    const requestId = `0x${randomBytes(32).toString('hex')}`;
    const { pay, receive, inputUnits } = terms;
    const order: RelayOrder = {
      pay,
      receive,
      deadline,
      depositAddress: depositAddressOn(pay.network),
      request: sent,
      inputUnits,
      status: 'waiting',
      details: {},
    };
    orders.set(requestId, order);
    return { status: 200, body: presentQuote(requestId, order, terms) };
  }

  const { url, stop } = await listen(server);
  return {
    url,
    orders,
    requests,
    set(requestId, status, details = {}) {
      const order = orders.get(requestId);
      if (!order) throw new Error(`no order ${requestId}`);
      orders.set(requestId, { ...order, status, details: { ...order.details, ...details } });
    },
    misbehave(how) {
      misbehavior = how;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

type Sent = Record<string, unknown>;
type Answer = { status: number; body: unknown };
type Currency = { symbol: string; decimals: number; usd: number };

interface Terms {
  from: Currency;
  to: Currency;
  pay: Asset;
  receive: Asset;
  feeBps: number;
  inputUnits: bigint;
}

/** What a quote is for, or why it is missing. */
function readTerms(sent: Sent): Terms | { refused: Answer } {
  const refuse = (errorCode: string, message: string) => ({
    refused: { status: 400, body: { message, errorCode } },
  });
  const from = CURRENCIES[sent.originChainId as number]?.[String(sent.originCurrency).toLowerCase()];
  const to = CURRENCIES[sent.destinationChainId as number]?.[String(sent.destinationCurrency).toLowerCase()];
  if (!from) return refuse('INVALID_INPUT_CURRENCY', 'Invalid input currency');
  if (!to) return refuse('INVALID_OUTPUT_CURRENCY', 'Invalid output currency');
  if (sent.tradeType === 'EXACT_OUTPUT' && sent.strict !== true)
    return refuse('UNSUPPORTED_ROUTE', 'EXACT_OUTPUT needs a strict deposit address');
  const pay = assetOf(sent.originChainId as number, from.symbol);
  const receive = assetOf(sent.destinationChainId as number, to.symbol);
  if (!isRefundAddress(pay.network, sent.refundTo)) return refuse('INVALID_ADDRESS', 'refundTo is not an address');
  if (!isRefundAddress(receive.network, sent.recipient))
    return refuse('INVALID_RECIPIENT', 'recipient is not an address');
  if (typeof sent.amount !== 'string' || !/^[1-9][0-9]*$/.test(sent.amount))
    return refuse('AMOUNT_TOO_LOW', 'Amount too low');
  const outputUsd = (Number(sent.amount) / 10 ** to.decimals) * to.usd;
  if (outputUsd < 0.05) return refuse('AMOUNT_TOO_LOW', 'Amount is too low');
  const feeBps = (sent.appFees as { fee: string }[] | undefined)?.reduce((sum, { fee }) => sum + Number(fee), 0) ?? 0;
  const inputUnits = BigInt(Math.ceil((outputUsd / from.usd) * (1 + (feeBps + 6) / 10_000) * 10 ** from.decimals));
  return { from, to, pay, receive, feeBps, inputUnits };
}

function presentQuote(requestId: string, { request: sent, depositAddress, deadline }: RelayOrder, terms: Terms) {
  const { from, to, feeBps, inputUnits } = terms;
  const inputUsd = (Number(inputUnits) / 10 ** from.decimals) * from.usd;
  const appFee = String(Math.round((inputUsd * feeBps * 1_000_000) / 10_000));
  const step = {
    id: 'deposit',
    action: 'Confirm transaction in your wallet',
    description: 'Deposit',
    kind: 'transaction',
    requestId,
    depositAddress,
    items: [
      {
        status: 'incomplete',
        data: depositTransaction(sent, depositAddress, inputUnits),
        check: { endpoint: `/intents/status/v3?requestId=${requestId}`, method: 'GET' },
      },
    ],
  };
  return {
    steps: [step],
    fees: {
      gas: fee(sent.originChainId, EVM_NATIVE, '0', 0),
      relayer: fee(sent.originChainId, sent.originCurrency, '0', 0),
      app: fee(8453, '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', appFee, (inputUsd * feeBps) / 10_000),
    },
    details: {
      operation: 'swap',
      sender: sent.user,
      recipient: sent.recipient,
      currencyIn: presentSide(sent.originChainId, sent.originCurrency, from, String(inputUnits)),
      currencyOut: presentSide(sent.destinationChainId, sent.destinationCurrency, to, sent.amount as string),
      timeEstimate: 10,
    },
    protocol: { v2: presentProtocol(sent, inputUnits, Math.floor(deadline.getTime() / 1_000)) },
  };
}

function presentSide(chainId: unknown, address: unknown, { symbol, decimals, usd }: Currency, amount: string) {
  return {
    currency: { chainId, address, symbol, name: symbol, decimals, metadata: {} },
    amount,
    amountFormatted: formatUnits(BigInt(amount), decimals),
    amountUsd: ((Number(amount) / 10 ** decimals) * usd).toFixed(6),
    minimumAmount: amount,
  };
}

function presentProtocol(sent: Sent, inputUnits: bigint, deadline: number) {
  const from = CHAIN_NAMES[sent.originChainId as number];
  const to = CHAIN_NAMES[sent.destinationChainId as number];
  const currency = sent.originCurrency;
  const refund = { chainId: from, recipient: sent.refundTo, currency, minimumAmount: '0', deadline, extraData: '0x' };
  const payment = {
    recipient: sent.recipient,
    currency: sent.destinationCurrency,
    minimumAmount: sent.amount,
    expectedAmount: sent.amount,
  };
  return {
    orderId: `0x${randomBytes(32).toString('hex')}`,
    orderData: {
      version: 'v1',
      solverChainId: 'base',
      solver: '0xf70da97812cb96acdf810712aa562db8dfa3dbef',
      salt: `0x${randomBytes(32).toString('hex')}`,
      inputs: [{ payment: { chainId: from, currency, amount: String(inputUnits), weight: '1' }, refunds: [refund] }],
      output: { chainId: to, calls: [], deadline, extraData: '0x', payments: [payment] },
      fees: [],
    },
    paymentDetails: { chainId: from, depository: DEPOSITORY, currency, amount: String(inputUnits) },
  };
}

function chains() {
  return Object.entries(CURRENCIES).map(([id, currencies]) => ({
    id: Number(id),
    name: CHAIN_NAMES[Number(id)],
    displayName: CHAIN_NAMES[Number(id)],
    depositEnabled: true,
    disabled: false,
    currency: { address: Object.keys(currencies)[0] },
    solverCurrencies: Object.entries(currencies).map(([address, { symbol, decimals }]) => ({
      address,
      symbol,
      decimals,
    })),
  }));
}

function eth() {
  return { symbol: 'ETH', decimals: 18, usd: 2_500 };
}

function dollar(symbol: string) {
  return { symbol, decimals: 6, usd: 1 };
}

function assetOf(chainId: number, symbol: string): Asset {
  const found = PAY_ASSETS.find((asset) => asset.network === NETWORKS[chainId] && asset.asset === symbol);
  if (!found) throw new Error(`${symbol} on ${chainId} is not on the list`);
  return found;
}

function depositAddressOn(network: Network): string {
  switch (network) {
    case 'solana':
      return base58.encode(randomBytes(32));
    case 'bitcoin':
      return bech32.encode('bc', [0, ...bech32.toWords(randomBytes(20))]);
    default:
      return `0x${randomBytes(20).toString('hex')}`;
  }
}

function fee(chainId: unknown, address: unknown, amount: string, usd: number) {
  return {
    currency: { chainId, address },
    amount,
    amountFormatted: amount,
    amountUsd: usd.toFixed(6),
    minimumAmount: amount,
  };
}

/** The transaction that a connected wallet would send; a customer who sends by hand needs only the deposit address. */
function depositTransaction(
  sent: Record<string, unknown>,
  depositAddress: string,
  inputUnits: bigint,
): Record<string, unknown> {
  const network = NETWORKS[sent.originChainId as number];
  if (network === 'solana') return { instructions: [], addressLookupTableAddresses: [] };
  if (network === 'bitcoin') return { psbt: '' };
  const common = {
    from: sent.user,
    chainId: sent.originChainId,
    gas: '70000',
    maxFeePerGas: '6500000',
    maxPriorityFeePerGas: '1000000',
  };
  if (sent.originCurrency === EVM_NATIVE)
    return { ...common, to: depositAddress, data: '0x', value: String(inputUnits) };
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [depositAddress as Address, inputUnits],
  });
  return { ...common, to: sent.originCurrency, data, value: '0' };
}
