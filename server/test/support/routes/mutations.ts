import { formatUnits } from 'viem';
import type { QuoteAnswer } from '../one-click-server.ts';
import type { Provider } from './desk.ts';

type Data = any;

/** One way in which a provider's answer is wrong. Its JSON text is sent. */
export interface Mutation {
  provider: Provider;
  name: string;
  /** Only an order's answer has the field; a preview of 1Click names no address. */
  ordersOnly: boolean;
  /** The answer is valid, but too expensive. */
  isPrice?: true;
  change(answer: Data, facts: Facts): { status?: number; text: string };
}

/** The values that a lie can use. */
export interface Facts {
  sign(answer: QuoteAnswer): QuoteAnswer;
  merchantWallet: string;
  refundAddress: string;
  payDecimals: number;
  /** A deposit address and an identifier of other orders, of either provider, on the same network. */
  usedAddresses: readonly string[];
  usedReference: string;
}

const OTHER_EVM = '0x9999999999999999999999999999999999999999';
const NESTED = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
const GONE = Symbol('gone');
/** A placeholder in the JSON text for something that JSON.stringify would not write. */
const HOLE = 'hole-to-be-filled';

const UNITS = [
  '0',
  '-1',
  '1.5',
  '1e9',
  '',
  ' 5',
  '0x10',
  '9'.repeat(70),
  '9'.repeat(400),
  '٣',
  5,
  null,
  GONE,
  {},
  [],
  true,
] as const;
const TEXT = [null, GONE, '', 7, {}, [], true, { toString: 1 }, 'x'.repeat(3_000)] as const;
const POISON = ['\u0000', 'a\u0000b', '\ud800', 'a\udc00', '\ufffe\ud83d'] as const;

const DEPOSIT_ADDRESSES = [
  null,
  GONE,
  '',
  7,
  {},
  'nowhere',
  'x'.repeat(3_000),
  '1BitcoinEaterAddressDontSendf59kuF',
  'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdr',
  `0x${'0'.repeat(40)}`,
  '0x0000000000000000000000000000000000000001',
  '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
  '0x000000000000000000000000000000000000dEaD',
  '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  '11111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  '1nc1nerator11111111111111111111111111111111',
  '1BitcoinEaterAddressDontSendf59kuE',
  'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
] as const;

/** Every mutation of an honest answer that must be rejected, in a fixed order. */
export function allMutations(): Mutation[] {
  return [...wholeAnswers('one-click'), ...wholeAnswers('relay'), ...oneClickMutations(), ...relayMutations()];
}

/** An honest answer at a higher price, in percent of its own price. */
export function dearer(provider: Provider, percent: bigint): Mutation {
  return {
    provider,
    name: `a price of ${percent} % of the honest one`,
    ordersOnly: false,
    isPrice: true,
    change: (answer, facts) => ({ text: JSON.stringify(REPRICED[provider](answer, percent, facts)) }),
  };
}

/** This number of mutations, chosen by a seed, in proportion to providers and kinds. */
export function someMutations(count: number, seed: number): Mutation[] {
  const all = allMutations();
  let state = seed;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  return all
    .map((mutation) => ({ mutation, rank: next() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ mutation }) => mutation);
}

function wholeAnswers(provider: Provider): Mutation[] {
  const texts: [string, string][] = [
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '7'],
    ['a text', '"quote"'],
    ['an empty object', '{}'],
    ['nothing', ''],
    ['a web page', '<html></html>'],
    ['half an answer', '{"quote":'],
    ['deep nesting alone', NESTED],
    ['a byte that is no text', '{"quote":"\u0000"}'],
    ['prototypes', '{"__proto__":{"quote":{},"steps":[]}}'],
  ];
  return texts
    .map(([name, text]) => ({
      provider,
      name: `the whole answer: ${name}`,
      ordersOnly: false,
      change: () => ({ text }),
    }))
    .concat(
      [201, 200].map((status) => ({
        provider,
        name: `status ${status} with an error`,
        ordersOnly: false,
        change: () => ({ status, text: '{"message":"no"}' }),
      })),
    );
}

function oneClickMutations(): Mutation[] {
  const found: Mutation[] = [];
  const add = (
    path: string,
    values: readonly unknown[],
    { ordersOnly = false, signed = true, unsigned = true } = {},
  ) => {
    for (const value of values) {
      const change = (answer: Data) => changed(answer, path, value);
      if (unsigned)
        found.push({
          provider: 'one-click',
          name: `${path} = ${shown(value)}`,
          ordersOnly,
          change: (answer) => ({ text: written(change(answer)) }),
        });
      if (signed)
        found.push({
          provider: 'one-click',
          name: `${path} = ${shown(value)}, signed`,
          ordersOnly,
          change: (answer, { sign }) => ({ text: written(safely(() => sign(change(answer)), change(answer))) }),
        });
    }
  };
  const echoes: Record<string, unknown> = {
    dry: 'yes',
    swapType: 'EXACT_INPUT',
    slippageTolerance: 5_000,
    originAsset: 'nep141:doge.omft.near',
    depositType: 'INTENTS',
    destinationAsset: 'nep141:arb-bridged.omft.near',
    amount: '1',
    refundTo: OTHER_EVM,
    refundType: 'INTENTS',
    recipient: OTHER_EVM,
    recipientType: 'INTENTS',
    deadline: '2099-01-01T00:00:00.000Z',
    referral: 'thief',
  };
  for (const [name, other] of Object.entries(echoes)) {
    add(`quoteRequest.${name}`, [other, null, GONE, {}, [], `${String(other)}\u0000`], { unsigned: false });
    add(`quoteRequest.${name}`, [other], { signed: false });
  }
  for (const holder of ['quoteRequest', 'quote']) {
    for (const name of ['virtualChainRecipient', 'virtualChainRefundRecipient', 'customRecipientMsg'])
      add(`${holder}.${name}`, [OTHER_EVM, 7, {}, ['x'], true], { unsigned: false, ordersOnly: holder === 'quote' });
  }
  add('quoteRequest.depositMode', ['MEMO', 7, {}, true], { unsigned: false });
  add('quoteRequest.confidentiality', ['advanced', 7], { unsigned: false });
  add('quoteRequest.quoteWaitingTimeMs', [1, '3000', {}], { unsigned: false });
  add('quoteRequest.rebates', [[{ recipient: 'thief.near', share: 5_000 }], 'all'], { unsigned: false });
  add(
    'quoteRequest.appFees',
    [
      null,
      GONE,
      [],
      [null],
      [7],
      ['x'],
      'all',
      {},
      [{ recipient: 'provider.near', fee: 150 }],
      [{ recipient: 'thief.near', fee: 1_500 }],
      [{ recipient: { toString: 1 }, fee: 150 }],
      [{ recipient: 'thief.near', fee: '150' }],
      [{ recipient: 'thief.near', fee: 1e20 }],
      [{ recipient: 'thief.near', fee: -150 }],
    ],
    { unsigned: false },
  );
  for (const name of ['amountIn', 'minAmountIn', 'amountOut', 'minAmountOut'])
    add(`quote.${name}`, UNITS, { unsigned: false });
  for (const name of ['amountIn', 'amountOut']) add(`quote.${name}`, ['1'], { signed: false });
  add('quote.minAmountIn', ['999999999999999999999999999999'], { unsigned: false });
  add('quote.amountInFormatted', ['1', 'x', 7, {}], { unsigned: false });
  add('quote.amountOutFormatted', ['1', '-1', 7, {}], { unsigned: false });
  for (const name of ['amountInUsd', 'amountOutUsd']) add(`quote.${name}`, ['cheap', 7, {}], { unsigned: false });
  add('quote.timeEstimate', [-1, 'soon', {}, 1e12], { unsigned: false, ordersOnly: true });
  for (const name of ['refundFee', 'withdrawFee'])
    add(`quote.${name}`, ['-1', 'x', 7, {}], { unsigned: false, ordersOnly: true });
  add('quote.depositMemo', ['12345', 7, {}], { unsigned: false, ordersOnly: true });
  add(
    'quote.deadline',
    [
      '2020-01-01T00:00:00.000Z',
      '+275760-09-13T00:00:00.000Z',
      '2099-01-01T00:00:00.000Z',
      'soon',
      null,
      GONE,
      7,
      {},
      { toString: 1 },
    ],
    { unsigned: false, ordersOnly: true },
  );
  add('quote.timeWhenInactive', ['soon', 7, {}, '+275760-09-13T00:00:00.000Z'], { unsigned: false, ordersOnly: true });
  add('quote.depositAddress', DEPOSIT_ADDRESSES, { unsigned: false, ordersOnly: true });
  add('timestamp', ['2020-01-01T00:00:00.000Z', 'now', null, GONE, 7, {}]);
  add(
    'signature',
    [
      '',
      'ed25519:',
      'ed25519:1111',
      `ed25519:${'z'.repeat(88)}`,
      'secp256k1:abc',
      null,
      GONE,
      7,
      {},
      'x'.repeat(5_000),
    ],
    { signed: false },
  );
  add('quote', [null, [], 'x', 7, GONE], { signed: false });
  add('quoteRequest', [null, [], 'x', 7, GONE], { signed: false });
  for (const path of ['correlationId', 'quote.extra', 'quoteRequest.extra', 'extra.deep', 'quoteRequest.sessionId'])
    add(path, POISON, { unsigned: false });
  found.push(
    ...holes('one-click', ['extra', 'quote.extra', 'quoteRequest.extra']),
    ...addressLies('one-click', 'quote.depositAddress', (answer, { sign }) => sign(answer)),
  );
  found.push(...PRICES.map((percent) => dearer('one-click', percent)));
  return found;
}

function relayMutations(): Mutation[] {
  const found: Mutation[] = [];
  const add = (path: string, values: readonly unknown[]) => {
    for (const value of values)
      found.push({
        provider: 'relay',
        name: `${path} = ${shown(value)}`,
        ordersOnly: false,
        change: (answer) => ({ text: written(changed(answer, path, value)) }),
      });
  };
  add('steps', [null, GONE, [], {}, 'x', [null], [7]]);
  add('steps.0.id', ['approve', ...TEXT]);
  add('steps.0.kind', ['signature', null, GONE, 7]);
  add('steps.0.requestId', ['0x1', 'abc', ...TEXT]);
  add('steps.0.depositAddress', DEPOSIT_ADDRESSES);
  add('steps.0.items', [null, GONE, [], {}, [null]]);
  add('steps.0.items.0.status', ['complete', null, GONE, 7]);
  add('steps.0.items.0.data', [null, GONE, 'x', []]);
  add('steps.0.items.0.check', [null, GONE, 'x']);
  add('steps.0.items.0.check.endpoint', [
    `/intents/status/v3?requestId=0x${'ab'.repeat(32)}`,
    'https://thief.example/status',
    '//thief.example/',
    null,
    GONE,
    7,
    {},
  ]);
  add('steps.0.items.0.check.method', ['POST', null, GONE, 7]);
  for (const name of ['to', 'chainId', 'value', 'data', 'from'])
    add(`steps.0.items.0.data.${name}`, [OTHER_EVM, null, GONE, {}, '1', 7]);
  for (const name of ['recipient', 'sender']) add(`details.${name}`, [OTHER_EVM, ...TEXT]);
  for (const side of ['currencyIn', 'currencyOut']) {
    add(`details.${side}`, [null, GONE, [], 'x', 7]);
    add(`details.${side}.amount`, side === 'currencyIn' ? UNITS : [...UNITS, '1']);
    add(
      `details.${side}.minimumAmount`,
      side === 'currencyIn' ? ['9'.repeat(35), '-1', 7, {}] : ['1', '0', '-1', 7, {}],
    );
    add(`details.${side}.amountFormatted`, ['1', 'x', 7, {}]);
    add(`details.${side}.amountUsd`, ['cheap', 7, {}]);
    add(`details.${side}.currency`, [null, GONE, 'x', 7]);
    add(`details.${side}.currency.chainId`, [10, '1', null, GONE, {}, 1e20]);
    add(`details.${side}.currency.address`, [OTHER_EVM, null, GONE, 7, {}]);
    add(`details.${side}.currency.decimals`, [2, '6', null, GONE]);
  }
  add('fees', [null, GONE, [], 'x']);
  add('fees.app', [null, GONE, 'x', 7]);
  add('fees.app.amount', ['-1', '0', 'x', '9'.repeat(70), 7, null, GONE]);
  add('fees.app.amountUsd', ['0', '900', '-1', 'x', 7, {}]);
  const data = 'protocol.v2.orderData';
  add('protocol.v2.orderId', ['0x1', 7, {}, null, GONE]);
  add(data, [null, [], 'x', GONE]);
  add(`${data}.inputs`, [[], null, [null], {}]);
  add(`${data}.inputs.0.payment.chainId`, ['optimism', 7, null, GONE]);
  add(`${data}.inputs.0.payment.currency`, [OTHER_EVM, 7, null, GONE]);
  add(`${data}.inputs.0.payment.amount`, ['1', '-1', 7, null, GONE]);
  add(`${data}.inputs.0.refunds`, [null, 'x', [null], {}]);
  add(`${data}.inputs.0.refunds.0.recipient`, [OTHER_EVM, 7, null, GONE]);
  add(`${data}.output.chainId`, ['optimism', 7, null, GONE]);
  add(`${data}.output.payments`, [[], null, [null], {}]);
  add(`${data}.output.payments.0.recipient`, [OTHER_EVM, 7, null, GONE]);
  add(`${data}.output.payments.0.currency`, [OTHER_EVM, 7, null, GONE]);
  add(`${data}.output.payments.0.minimumAmount`, ['1', '-1', 7, null, GONE]);
  add(`${data}.output.calls`, [['0x00'], 'x', { 0: 'x' }]);
  add('protocol.v2.paymentDetails.chainId', ['optimism', 7]);
  add('protocol.v2.paymentDetails.amount', ['1', '-1', 7]);
  add('protocol.v2.paymentDetails.currency', [OTHER_EVM, 7]);
  for (const path of [
    'steps.0.description',
    'details.operation',
    'extra.deep',
    'details.extra',
    'fees.extra',
    'steps.0.items.0.data.extra',
  ])
    add(path, POISON);
  found.push(
    ...holes('relay', ['extra', 'details.extra', 'steps.0.items.0.data.extra']),
    ...addressLies('relay', 'steps.0.depositAddress', (answer) => answer),
  );
  found.push({
    provider: 'relay',
    name: 'the request id of another order',
    ordersOnly: true,
    change: (answer, { usedReference }) => ({
      text: JSON.stringify(answer).replaceAll(
        answer.steps[0].requestId,
        usedReference.toUpperCase().replace('0X', '0x'),
      ),
    }),
  });
  found.push(...PRICES.map((percent) => dearer('relay', percent)));
  return found;
}

/** Valid JSON that JSON.stringify never writes: nesting beyond any stack, numbers beyond any double. */
function holes(provider: Provider, paths: readonly string[]): Mutation[] {
  const fillings: [string, string][] = [
    ['nesting', NESTED],
    ['some nesting', `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`],
    ['a long text', JSON.stringify('x'.repeat(2_000_000))],
    ['many values', `[${'0,'.repeat(200_000)}0]`],
  ];
  return paths.flatMap((path) =>
    fillings.map(
      ([name, filling]): Mutation => ({
        provider,
        name: `${path} holds ${name}`,
        ordersOnly: false,
        change: (answer, { sign }) => {
          const holed = changed(answer, path, HOLE);
          return {
            text: JSON.stringify(provider === 'one-click' ? sign(holed) : holed).replaceAll(
              JSON.stringify(HOLE),
              filling,
            ),
          };
        },
      }),
    ),
  );
}

/** Well-formed addresses of other owners. */
function addressLies(provider: Provider, path: string, sign: (answer: Data, facts: Facts) => Data): Mutation[] {
  const lie = (name: string, address: (facts: Facts) => string): Mutation => ({
    provider,
    name: `${path} is ${name}`,
    ordersOnly: true,
    change: (answer, facts) => {
      const honest: string = path.split('.').reduce((inner, part) => inner[part], answer);
      const elsewhere = JSON.parse(
        JSON.stringify(answer)
          .replaceAll(honest, address(facts))
          .replaceAll(honest.slice(2).toLowerCase(), address(facts).slice(2).toLowerCase()),
      );
      return { text: JSON.stringify(sign(elsewhere, facts)) };
    },
  });
  return [
    lie("the merchant's wallet", ({ merchantWallet }) => merchantWallet),
    lie("the merchant's wallet in lower case", ({ merchantWallet }) => merchantWallet.toLowerCase()),
    lie('the refund address', ({ refundAddress }) => refundAddress),
    lie('the refund address in lower case', ({ refundAddress }) => refundAddress.toLowerCase()),
    ...[0, 1].flatMap((at) => [
      lie(
        `an address that ${at === 0 ? '1Click' : 'Relay'} has given out`,
        ({ usedAddresses }) => usedAddresses[at] as string,
      ),
      lie(
        `an address that ${at === 0 ? '1Click' : 'Relay'} has given out, in capitals`,
        ({ usedAddresses }) => `0x${(usedAddresses[at] as string).slice(2).toUpperCase()}`,
      ),
    ]),
  ];
}

const PRICES = [130n, 200n, 1_000_000n] as const;

const REPRICED: Record<Provider, (answer: Data, percent: bigint, facts: Facts) => Data> = {
  'one-click': (answer, percent, { sign, payDecimals }) => {
    const times = (units: string) => String((BigInt(units) * percent) / 100n);
    const amountIn = times(answer.quote.amountIn);
    return sign({
      ...answer,
      quote: {
        ...answer.quote,
        amountIn,
        minAmountIn: times(answer.quote.minAmountIn),
        amountInFormatted: formatUnits(BigInt(amountIn), payDecimals),
      },
    });
  },
  relay: (answer, percent, { payDecimals }) => {
    const { amount } = answer.details.currencyIn;
    const repriced = (BigInt(amount) * percent) / 100n;
    const text = JSON.stringify(answer)
      .replaceAll(`"${amount}"`, `"${repriced}"`)
      .replaceAll(word(BigInt(amount)), word(repriced));
    const copy = JSON.parse(text);
    copy.details.currencyIn.amountFormatted = formatUnits(repriced, payDecimals);
    return copy;
  },
};

function changed(answer: Data, path: string, value: unknown): Data {
  const copy = structuredClone(answer);
  const names = path.split('.');
  const last = names.pop() as string;
  const holder = names.reduce((inner, name) => (inner[name] ??= {}), copy);
  if (value === GONE) delete holder[last];
  else holder[last] = value;
  return copy;
}

function written(answer: Data): string {
  return JSON.stringify(answer);
}

/** Some lies cannot be signed, because the double parses what it signs. */
function safely<T>(sign: () => T, otherwise: T): T {
  try {
    return sign();
  } catch {
    return otherwise;
  }
}

function word(units: bigint): string {
  return units.toString(16).padStart(64, '0');
}

function shown(value: unknown): string {
  if (value === GONE) return 'gone';
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}… (${text.length})` : text;
}
