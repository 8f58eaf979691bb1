import { Type, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Exchange } from './recorder.ts';

/** The documentation of one of a provider's calls. */
interface Call {
  method: 'GET' | 'POST';
  path: string;
  query?: TSchema;
  body?: TSchema;
  /** The schema of a response, by status. Any 2xx is looked up under 200. */
  answers: Record<number, TSchema>;
}

const units = Type.String({ pattern: '^[0-9]{1,78}$' });
const decimal = Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$' });
const instant = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})$' });
const text = Type.String({ minLength: 1 });
const strict = { additionalProperties: false };

// 1Click, according to its SDK's types. Requests contain only documented fields; responses may contain more.
const oneClickFees = Type.Array(
  Type.Object({ recipient: text, fee: Type.Integer({ minimum: 0, maximum: 10_000 }) }, strict),
);
const oneClickRequest = {
  dry: Type.Boolean(),
  depositMode: Type.Optional(Type.Union([Type.Literal('SIMPLE'), Type.Literal('MEMO')])),
  swapType: Type.Union(['EXACT_INPUT', 'EXACT_OUTPUT', 'FLEX_INPUT'].map((name) => Type.Literal(name))),
  slippageTolerance: Type.Integer({ minimum: 0 }),
  originAsset: text,
  destinationAsset: text,
  depositType: Type.Union([Type.Literal('ORIGIN_CHAIN'), Type.Literal('INTENTS')]),
  amount: units,
  refundTo: text,
  refundType: Type.Union([Type.Literal('ORIGIN_CHAIN'), Type.Literal('INTENTS')]),
  recipient: text,
  recipientType: Type.Union([Type.Literal('DESTINATION_CHAIN'), Type.Literal('INTENTS')]),
  deadline: instant,
  referral: Type.Optional(Type.String({ pattern: '^[^A-Z]*$' })),
  quoteWaitingTimeMs: Type.Optional(Type.Integer({ minimum: 0 })),
  appFees: Type.Optional(oneClickFees),
};
const oneClickQuote = Type.Object({
  amountIn: units,
  amountInFormatted: decimal,
  amountInUsd: decimal,
  minAmountIn: units,
  amountOut: units,
  amountOutFormatted: decimal,
  amountOutUsd: decimal,
  minAmountOut: units,
  timeEstimate: Type.Number(),
  refundFee: Type.Optional(units),
  withdrawFee: Type.Optional(units),
  depositAddress: Type.Optional(text),
  deadline: Type.Optional(instant),
  timeWhenInactive: Type.Optional(instant),
});
const oneClickAnswer = Type.Object({
  correlationId: Type.Optional(text),
  timestamp: instant,
  signature: Type.String({ pattern: '^ed25519:[1-9A-HJ-NP-Za-km-z]{64,90}$' }),
  quoteRequest: Type.Object({
    ...oneClickRequest,
    appFees: Type.Optional(Type.Array(Type.Object({ recipient: text, fee: Type.Number() }))),
  }),
  quote: oneClickQuote,
});
const oneClickHashes = Type.Array(Type.Object({ hash: text, explorerUrl: Type.String() }));
const oneClickStatus = Type.Object({
  correlationId: Type.Optional(text),
  quoteResponse: oneClickAnswer,
  updatedAt: instant,
  status: Type.Union(
    ['PENDING_DEPOSIT', 'KNOWN_DEPOSIT_TX', 'INCOMPLETE_DEPOSIT', 'PROCESSING', 'SUCCESS', 'REFUNDED', 'FAILED'].map(
      (name) => Type.Literal(name),
    ),
  ),
  swapDetails: Type.Object({
    intentHashes: Type.Array(Type.String()),
    nearTxHashes: Type.Array(Type.String()),
    originChainTxHashes: oneClickHashes,
    destinationChainTxHashes: oneClickHashes,
    depositedAmount: Type.Optional(units),
    amountOut: Type.Optional(units),
    refundedAmount: Type.Optional(units),
    refundReason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
});
const refusal = Type.Object({ message: text });

export const ONE_CLICK: readonly Call[] = [
  {
    method: 'GET',
    path: '/v0/tokens',
    answers: {
      200: Type.Array(
        Type.Object({
          assetId: text,
          decimals: Type.Integer({ minimum: 0 }),
          blockchain: text,
          symbol: text,
          price: Type.Number(),
          priceUpdatedAt: instant,
          contractAddress: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        }),
      ),
    },
  },
  {
    method: 'POST',
    path: '/v0/quote',
    body: Type.Object(oneClickRequest, strict),
    answers: { 200: oneClickAnswer, 400: refusal, 401: refusal },
  },
  {
    method: 'GET',
    path: '/v0/status',
    query: Type.Object({ depositAddress: text }, strict),
    answers: { 200: oneClickStatus, 401: refusal, 404: refusal },
  },
  {
    method: 'POST',
    path: '/v0/deposit/submit',
    body: Type.Object({ txHash: text, depositAddress: text }, strict),
    answers: { 200: oneClickStatus, 400: refusal, 401: refusal, 404: refusal },
  },
];

// Relay, according to its documentation and its SDK's types.
const relayCurrency = Type.Object({ chainId: Type.Integer(), address: text, symbol: text, decimals: Type.Integer() });
const relaySide = Type.Object({
  currency: relayCurrency,
  amount: units,
  amountFormatted: Type.String(),
  amountUsd: Type.String(),
  minimumAmount: Type.Optional(units),
});
const relayStep = Type.Object({
  id: text,
  kind: Type.Union([Type.Literal('transaction'), Type.Literal('signature')]),
  requestId: text,
  depositAddress: text,
  items: Type.Array(Type.Object({ status: text })),
});
const relayRefusal = Type.Object({ message: text, errorCode: Type.Optional(text) });

export const RELAY: readonly Call[] = [
  {
    method: 'GET',
    path: '/chains',
    answers: {
      200: Type.Object({
        chains: Type.Array(
          Type.Object({
            id: Type.Integer(),
            depositEnabled: Type.Optional(Type.Boolean()),
            disabled: Type.Optional(Type.Boolean()),
            solverCurrencies: Type.Optional(Type.Array(Type.Object({ address: text }))),
          }),
        ),
      }),
    },
  },
  {
    method: 'POST',
    path: '/quote/v2',
    body: Type.Object(
      {
        user: text,
        recipient: text,
        originChainId: Type.Integer(),
        originCurrency: text,
        destinationChainId: Type.Integer(),
        destinationCurrency: text,
        amount: units,
        // An exact output requires a strict address, and a strict address requires a refund address.
        tradeType: Type.Literal('EXACT_OUTPUT'),
        useDepositAddress: Type.Literal(true),
        strict: Type.Literal(true),
        refundTo: text,
        slippageTolerance: Type.String({ pattern: '^[0-9]+$' }),
        ttl: Type.Integer({ minimum: 1 }),
        referrer: text,
        appFees: Type.Optional(
          Type.Array(
            Type.Object(
              { recipient: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }), fee: Type.String({ pattern: '^[0-9]+$' }) },
              strict,
            ),
          ),
        ),
      },
      strict,
    ),
    answers: {
      200: Type.Object({
        steps: Type.Array(relayStep, { minItems: 1 }),
        fees: Type.Object({}),
        details: Type.Object({ recipient: text, currencyIn: relaySide, currencyOut: relaySide }),
      }),
      400: relayRefusal,
      401: relayRefusal,
    },
  },
  {
    method: 'GET',
    path: '/intents/status/v3',
    query: Type.Object({ requestId: text }, strict),
    answers: {
      200: Type.Object({
        status: Type.Union(
          ['waiting', 'depositing', 'pending', 'submitted', 'success', 'delayed', 'refund', 'failure'].map((name) =>
            Type.Literal(name),
          ),
        ),
        inTxHashes: Type.Optional(Type.Array(Type.String())),
        txHashes: Type.Optional(Type.Array(Type.String())),
        updatedAt: Type.Optional(Type.Number()),
        failReason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      }),
      400: relayRefusal,
      404: relayRefusal,
    },
  },
  {
    method: 'POST',
    path: '/transactions/deposit-address/reindex',
    body: Type.Object({ chainId: Type.Integer(), depositAddress: text }, strict),
    answers: { 200: Type.Object({}), 400: relayRefusal, 404: relayRefusal },
  },
];

/** Every deviation of an exchange from the documentation, one sentence each. */
export function deviations(calls: readonly Call[], exchange: Exchange): string[] {
  const what = `${exchange.method} ${exchange.path}`;
  const call = calls.find(({ method, path }) => method === exchange.method && path === exchange.path);
  if (!call) return [`${what} is not among the documented calls`];
  const status = exchange.status >= 200 && exchange.status < 300 ? 200 : exchange.status;
  const answer = call.answers[status];
  return [
    ...errors(`${what} is asked`, call.query ?? Type.Object({}, strict), exchange.query),
    ...(call.body
      ? errors(`${what} is sent`, call.body, exchange.body)
      : exchange.body === undefined
        ? []
        : [`${what} has a body`]),
    ...(answer
      ? errors(`${what} answers ${exchange.status}`, answer, exchange.answer)
      : [`${what} answers ${exchange.status}, which is not documented`]),
  ];
}

function errors(where: string, schema: TSchema, value: unknown): string[] {
  return [...Value.Errors(schema, value)].map(({ path, message }) => `${where}: ${path || 'the whole'}: ${message}`);
}
