import {
  addressLies,
  changed,
  CONTRACTS,
  dearer,
  DEPOSIT_ADDRESSES,
  GONE,
  holes,
  type Mutation,
  OTHER_EVM,
  POISON,
  PRICES,
  shown,
  TEXT,
  UNITS,
  written,
} from './mutation.ts';

/** Wrong answers of Relay. */
export function relayMutations(): Mutation[] {
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
  add('details', [null, GONE, [], 'x', 7]);
  add('steps', [null, GONE, [], {}, 'x', [null], [7]]);
  add('steps.0.id', ['approve', ...TEXT]);
  add('steps.0.kind', ['signature', null, GONE, 7]);
  add('steps.0.requestId', ['0x1', 'abc', ...TEXT]);
  add('steps.0.depositAddress', [...DEPOSIT_ADDRESSES, ...CONTRACTS]);
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
    // A unit away from what the tests of the adapter order.
    add(`details.${side}.amount`, side === 'currencyIn' ? UNITS : [...UNITS, '1', '48265016', '48265018']);
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
  for (const path of ['output', 'inputs.0.refunds.0'])
    add(`${data}.${path}.deadline`, [1_600_000_000, 0, -1, 1e300, 1.5, 'soon', {}, null, GONE]);
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
    name: 'a second step',
    ordersOnly: false,
    change: (answer) => ({ text: written({ ...answer, steps: [...answer.steps, answer.steps[0]] }) }),
  });
  found.push({
    provider: 'relay',
    name: 'the request id of another order',
    ordersOnly: true,
    isForService: true,
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
