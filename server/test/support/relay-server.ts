import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Asset, type Network, PAY_ASSETS } from '@quittance/contract';
import { base58, bech32 } from '@scure/base';
import { type Address, encodeFunctionData, erc20Abi, formatUnits } from 'viem';
import { isRefundAddress } from './refund-address.ts';

/** A double of Relay: strict deposit addresses, its error codes, and every way to misbehave. */
export interface RelayServer extends AsyncDisposable {
  url: string;
  orders: ReadonlyMap<string, RelayOrder>;
  requests: { method: string; path: string; body: unknown }[];
  /** Puts an order into any state, by its request id. */
  set(requestId: string, status: string, details?: Record<string, unknown>): void;
  misbehave(how: RelayMisbehaviour | undefined): void;
  stop(): Promise<void>;
}

export type RelayMisbehaviour = (
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
  let misbehaviour: RelayMisbehaviour | undefined;

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
    const told = misbehaviour ? await misbehaviour(url.pathname, honest) : honest;
    if (told === 'silent') return;
    if (told === 'reset') return request.socket.destroy();
    response
      .writeHead(told.status, { 'content-type': 'application/json' })
      .end(typeof told.body === 'string' ? told.body : JSON.stringify(told.body));
  });

  function answer(url: URL, body: Record<string, unknown>): { status: number; body: unknown } {
    switch (url.pathname) {
      case '/chains':
        return { status: 200, body: { chains: chains() } };
      case '/quote/v2':
        return quote(body);
      case '/intents/status/v3': {
        const order = orders.get(url.searchParams.get('requestId') ?? '');
        return order
          ? {
              status: 200,
              body: {
                status: order.status,
                updatedAt: now().getTime(),
                originChainId: order.request.originChainId,
                destinationChainId: order.request.destinationChainId,
                ...order.details,
              },
            }
          : { status: 404, body: { message: 'Request not found' } };
      }
      case '/transactions/deposit-address/reindex':
        return Number.isInteger(body?.chainId) && typeof body.depositAddress === 'string'
          ? { status: 200, body: { message: 'Reindexing' } }
          : { status: 400, body: { message: 'chainId and depositAddress are required' } };
      default:
        return { status: 404, body: { message: 'Not found' } };
    }
  }

  function quote(sent: Record<string, unknown>): { status: number; body: unknown } {
    const refuse = (errorCode: string, message: string) => ({ status: 400, body: { message, errorCode } });
    const from = CURRENCIES[sent.originChainId as number]?.[String(sent.originCurrency).toLowerCase()];
    const to = CURRENCIES[sent.destinationChainId as number]?.[String(sent.destinationCurrency).toLowerCase()];
    if (!from) return refuse('INVALID_INPUT_CURRENCY', 'Invalid input currency');
    if (!to) return refuse('INVALID_OUTPUT_CURRENCY', 'Invalid output currency');
    if (sent.tradeType === 'EXACT_OUTPUT' && sent.strict !== true)
      return refuse('UNSUPPORTED_ROUTE', 'EXACT_OUTPUT needs a strict deposit address');
    const [pay, receive] = [
      assetOf(sent.originChainId as number, from.symbol),
      assetOf(sent.destinationChainId as number, to.symbol),
    ];
    if (!isRefundAddress(pay.network, sent.refundTo)) return refuse('INVALID_ADDRESS', 'refundTo is not an address');
    if (!isRefundAddress(receive.network, sent.recipient))
      return refuse('INVALID_RECIPIENT', 'recipient is not an address');
    if (typeof sent.amount !== 'string' || !/^[1-9][0-9]*$/.test(sent.amount))
      return refuse('AMOUNT_TOO_LOW', 'Amount too low');
    const outputUsd = (Number(sent.amount) / 10 ** to.decimals) * to.usd;
    if (outputUsd < 0.05) return refuse('AMOUNT_TOO_LOW', 'Amount is too low');
    const feeBps = (sent.appFees as { fee: string }[] | undefined)?.reduce((sum, { fee }) => sum + Number(fee), 0) ?? 0;
    const inputUnits = BigInt(Math.ceil((outputUsd / from.usd) * (1 + (feeBps + 6) / 10_000) * 10 ** from.decimals));
    const inputUsd = (Number(inputUnits) / 10 ** from.decimals) * from.usd;
    const requestId = `0x${randomBytes(32).toString('hex')}`;
    const depositAddress = depositAddressOn(pay.network);
    const deadline = new Date(now().getTime() + Number(sent.ttl ?? 1_800) * 1_000);
    orders.set(requestId, {
      pay,
      receive,
      deadline,
      depositAddress,
      request: sent,
      inputUnits,
      status: 'waiting',
      details: {},
    });
    const side = (
      chainId: unknown,
      address: unknown,
      currency: { symbol: string; decimals: number; usd: number },
      amount: string,
    ) => ({
      currency: {
        chainId,
        address,
        symbol: currency.symbol,
        name: currency.symbol,
        decimals: currency.decimals,
        metadata: {},
      },
      amount,
      amountFormatted: formatUnits(BigInt(amount), currency.decimals),
      amountUsd: ((Number(amount) / 10 ** currency.decimals) * currency.usd).toFixed(6),
      minimumAmount: amount,
    });
    const [fromChain, toChain] = [
      CHAIN_NAMES[sent.originChainId as number],
      CHAIN_NAMES[sent.destinationChainId as number],
    ];
    const orderDeadline = Math.floor(deadline.getTime() / 1_000);
    return {
      status: 200,
      body: {
        steps: [
          {
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
          },
        ],
        fees: {
          gas: fee(sent.originChainId, EVM_NATIVE, '0', 0),
          relayer: fee(sent.originChainId, sent.originCurrency, '0', 0),
          app: fee(
            8453,
            '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
            String(Math.round((inputUsd * feeBps * 1_000_000) / 10_000)),
            (inputUsd * feeBps) / 10_000,
          ),
        },
        details: {
          operation: 'swap',
          sender: sent.user,
          recipient: sent.recipient,
          currencyIn: side(sent.originChainId, sent.originCurrency, from, String(inputUnits)),
          currencyOut: side(sent.destinationChainId, sent.destinationCurrency, to, sent.amount),
          timeEstimate: 10,
        },
        protocol: {
          v2: {
            orderId: `0x${randomBytes(32).toString('hex')}`,
            orderData: {
              version: 'v1',
              solverChainId: 'base',
              solver: '0xf70da97812cb96acdf810712aa562db8dfa3dbef',
              salt: `0x${randomBytes(32).toString('hex')}`,
              inputs: [
                {
                  payment: {
                    chainId: fromChain,
                    currency: sent.originCurrency,
                    amount: String(inputUnits),
                    weight: '1',
                  },
                  refunds: [
                    {
                      chainId: fromChain,
                      recipient: sent.refundTo,
                      currency: sent.originCurrency,
                      minimumAmount: '0',
                      deadline: orderDeadline,
                      extraData: '0x',
                    },
                  ],
                },
              ],
              output: {
                chainId: toChain,
                calls: [],
                deadline: orderDeadline,
                extraData: '0x',
                payments: [
                  {
                    recipient: sent.recipient,
                    currency: sent.destinationCurrency,
                    minimumAmount: sent.amount,
                    expectedAmount: sent.amount,
                  },
                ],
              },
              fees: [],
            },
            paymentDetails: {
              chainId: fromChain,
              depository: DEPOSITORY,
              currency: sent.originCurrency,
              amount: String(inputUnits),
            },
          },
        },
      },
    };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    requests,
    set(requestId, status, details = {}) {
      const order = orders.get(requestId);
      if (!order) throw new Error(`no order ${requestId}`);
      orders.set(requestId, { ...order, status, details: { ...order.details, ...details } });
    },
    misbehave(how) {
      misbehaviour = how;
    },
    stop,
    [Symbol.asyncDispose]: stop,
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
