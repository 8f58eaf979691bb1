import { HOUR_MS } from '../../../src/platform/time.ts';
import {
  addressLies,
  changed,
  CONTRACTS,
  type Data,
  dearer,
  DEPOSIT_ADDRESSES,
  FEE_RECIPIENT,
  GONE,
  holes,
  type Mutation,
  OTHER_EVM,
  POISON,
  PRICES,
  safely,
  shown,
  UNITS,
  written,
} from './mutation.ts';

/** Wrong answers of 1Click, most of them with a valid signature. */
export function oneClickMutations(): Mutation[] {
  const found: Mutation[] = [];
  const add = (
    path: string,
    values: readonly unknown[],
    { ordersOnly = false, signed = true, unsigned = true, isForService = false } = {},
  ) => {
    const more = isForService ? { isForService } : {};
    for (const value of values) {
      const change = (answer: Data) => changed(answer, path, value);
      if (unsigned)
        found.push({
          provider: 'one-click',
          name: `${path} = ${shown(value)}`,
          ordersOnly,
          ...more,
          change: (answer) => ({ text: written(change(answer)) }),
        });
      if (signed)
        found.push({
          provider: 'one-click',
          name: `${path} = ${shown(value)}, signed`,
          ordersOnly,
          ...more,
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
      ...[300, 75, '150'].map((fee) => [{ recipient: FEE_RECIPIENT, fee }]),
      // In all the fee that was asked for, or a little more, and of that too little for the operator.
      ...[
        [150, 1],
        [74, 76],
        [1, 149],
        [300, -150],
      ].map(([ours, theirs]) => [
        { recipient: FEE_RECIPIENT, fee: ours },
        { recipient: 'provider.near', fee: theirs },
      ]),
    ],
    { unsigned: false },
  );
  for (const name of ['amountIn', 'minAmountIn', 'amountOut', 'minAmountOut'])
    add(`quote.${name}`, UNITS, { unsigned: false });
  // A unit away from what the tests of the adapter order.
  add('quote.amountOut', ['48265016', '48265018'], { unsigned: false });
  add('quote.minAmountOut', ['48265016'], { unsigned: false });
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
  add('quote.timeWhenInactive', ['2020-01-01T00:00:00.000Z', 'soon', 7, {}, '+275760-09-13T00:00:00.000Z'], {
    unsigned: false,
    ordersOnly: true,
  });
  add('quote.depositAddress', DEPOSIT_ADDRESSES, { unsigned: false, ordersOnly: true });
  add('quote.depositAddress', CONTRACTS, { unsigned: false, ordersOnly: true, isForService: true });
  add('timestamp', [
    new Date(Date.now() - HOUR_MS).toISOString(),
    '2020-01-01T00:00:00.000Z',
    'now',
    null,
    GONE,
    7,
    {},
  ]);
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
