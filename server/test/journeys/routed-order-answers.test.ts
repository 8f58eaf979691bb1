import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { QuoteAnswer } from '../support/one-click-server.ts';
import type { Provider } from '../support/routes/desk.ts';
import { assetNamed, newAddress, type RoutedShop, startRoutedShop } from '../support/routes/shop.ts';

type Data = any;
const BNB = assetNamed('BNB', 'bnb');
const THIEF = '0x9999999999999999999999999999999999999999';

let shop: RoutedShop;
beforeAll(async () => {
  shop = await startRoutedShop();
});
afterAll(() => shop[Symbol.asyncDispose]());
beforeEach(() => {
  shop.world.oneClick.misbehave(undefined);
  shop.world.relay.misbehave(undefined);
});

describe('a lying answer to an order', () => {
  test('is refused, and the next provider is asked', async () => {
    shop.ask('one-click', 'relay');
    shop.world.oneClick.misbehave(
      onQuote((answer) =>
        shop.world.oneClick.sign({ ...answer, quoteRequest: { ...answer.quoteRequest, recipient: THIEF } }),
      ),
    );
    const { job } = await shop.order(BNB, 'ethereum');
    expect(job).toMatchObject({ provider: 'relay', recipient: shop.wallets.ethereum });
  });

  test('that repeats the answer to an earlier order, or its deposit address well signed, is refused', async () => {
    shop.ask('one-click');
    const session = await shop.session('ethereum');
    const refundTo = newAddress(BNB);
    let first: QuoteAnswer | undefined;
    shop.world.oneClick.misbehave(onQuote((answer) => (first = answer)));
    expect((await shop.choose(session.id, BNB, refundTo)).status).toBe(200);
    for (const lie of [
      () => first as QuoteAnswer,
      (answer: QuoteAnswer) =>
        shop.world.oneClick.sign({
          ...answer,
          quote: { ...answer.quote, depositAddress: first?.quote.depositAddress },
        }),
      // The merchant's own wallet: a direct payment in another coin would look like a deposit.
      (answer: QuoteAnswer) =>
        shop.world.oneClick.sign({ ...answer, quote: { ...answer.quote, depositAddress: shop.wallets.ethereum } }),
    ]) {
      shop.world.oneClick.misbehave(onQuote(lie));
      const other = await shop.session('ethereum');
      const { status, body } = await shop.choose(other.id, BNB, refundTo);
      expect([status, body.error?.code]).toEqual([503, 'service_unavailable']);
      expect(await shop.payment(other.id)).toMatchObject({ status: 'created' });
    }
  });

  test('changed in any way, through the whole service: accepted 0', async () => {
    shop.ask('one-click', 'relay');
    const { id } = await shop.session('ethereum');
    const seen = { refused: 0, unharmful: 0, accepted: 0 };
    for (const lie of lies()) {
      let honest: { oneClick?: Data; relay?: Data } = {};
      shop.world.oneClick.misbehave((path, answer) => {
        if (path !== '/v0/quote') return answer;
        honest = { ...honest, oneClick: answer.body };
        return { ...answer, body: lie.provider === 'one-click' ? lie.change(answer.body) : null };
      });
      shop.world.relay.misbehave((path, answer) => {
        if (path !== '/quote/v2') return answer;
        honest = { ...honest, relay: answer.body };
        return { ...answer, body: lie.provider === 'relay' ? lie.change(answer.body) : null };
      });
      const { status, body } = await shop.choose(id, BNB);
      if (status !== 200) {
        expect([status, body.error.code]).toEqual([503, 'service_unavailable']);
        seen.refused += 1;
        continue;
      }
      // The change has no effect if the customer sees what the honest answer contains.
      const { address, amount } = body.data.payment;
      const [depositAddress, inputUnits] = honest.relay
        ? [honest.relay.steps[0].depositAddress, honest.relay.details.currencyIn.amount]
        : [honest.oneClick.quote.depositAddress, honest.oneClick.quote.amountIn];
      const isHonest =
        address.toLowerCase() === depositAddress.toLowerCase() &&
        amount.replace('.', '').replace(/^0+/, '') === inputUnits;
      seen[isHonest ? 'unharmful' : 'accepted'] += 1;
      if (!isHonest) process.stdout.write(`accepted: ${lie.name}\n`);
      await shop.ctx.db.query('test_end_orders', `update route_orders set state = 'dead' where state = 'waiting'`);
    }
    process.stdout.write(
      `changed provider answers: ${seen.refused} refused, ${seen.unharmful} changed in unused fields, accepted (${seen.accepted})\n`,
    );
    expect(seen.refused).toBeGreaterThanOrEqual(100);
    expect(seen.accepted).toBe(0);
  }, 120_000);
});

test('none reachable: the page keeps the direct asset, and a customer who chooses another sees why', async () => {
  shop.ask('one-click', 'relay');
  shop.world.oneClick.misbehave(() => 'reset');
  shop.world.relay.misbehave(() => 'reset');
  const { id } = await shop.session('ethereum');
  const { status, body, headers } = (await shop.choose(id, BNB)) as Data;
  expect([status, body.error.code]).toEqual([503, 'service_unavailable']);
  expect(body.error.message).toContain('cannot be converted right now. Choose a different asset');
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  const { options } = await shop.publicSession(id);
  expect(options.find((option: Data) => option.kind === 'direct')).toMatchObject({
    asset: 'USDC',
    network: 'ethereum',
    available: true,
  });
  const direct = await shop.app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'ethereum' },
  });
  expect(direct.body.data.payment).toMatchObject({ kind: 'direct', address: shop.wallets.ethereum });
});

function onQuote(change: (answer: QuoteAnswer) => unknown) {
  return (path: string, answer: { status: number; body: unknown }) =>
    path === '/v0/quote' ? { ...answer, body: change(answer.body as QuoteAnswer) } : answer;
}

interface Lie {
  provider: Provider;
  name: string;
  change(body: Data): Data;
}

/** A provider chooses its own price and address. Values that it has signed are its quote and not a change of it. */
const THEIRS = [
  'quote.depositAddress another, signed again',
  'steps.0.depositAddress another',
  'details.currencyIn.amount another',
];

/** Every leaf of both providers' answers, removed or changed; 1Click's unsigned and signed again. */
function lies(): Lie[] {
  const found: Lie[] = [];
  const oneClick = [
    'correlationId',
    'timestamp',
    'signature',
    ...[
      'dry',
      'depositMode',
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
      'referral',
    ].map((name) => `quoteRequest.${name}`),
    ...['amountIn', 'minAmountIn', 'amountOut', 'minAmountOut', 'depositAddress', 'deadline', 'amountOutFormatted'].map(
      (name) => `quote.${name}`,
    ),
  ];
  const relay = [
    'steps',
    'steps.0',
    'steps.0.id',
    'steps.0.requestId',
    'steps.0.depositAddress',
    'steps.0.kind',
    'details',
    'details.recipient',
    'details.sender',
    ...['currencyIn', 'currencyOut'].flatMap((side) =>
      [
        'amount',
        'minimumAmount',
        'amountUsd',
        'currency',
        'currency.chainId',
        'currency.address',
        'currency.symbol',
      ].map((name) => `details.${side}.${name}`),
    ),
  ];
  for (const path of oneClick) {
    for (const [how, value] of changes(path)) {
      found.push({ provider: 'one-click', name: `${path} ${how}`, change: (body) => changed(body, path, value) });
      if (path !== 'signature')
        found.push({
          provider: 'one-click',
          name: `${path} ${how}, signed again`,
          change: (body) => shop.world.oneClick.sign(changed(body, path, value)),
        });
    }
  }
  for (const path of relay)
    for (const [how, value] of changes(path))
      found.push({ provider: 'relay', name: `${path} ${how}`, change: (body) => changed(body, path, value) });
  return found.filter(({ name }) => !THEIRS.includes(name));
}

function changes(path: string): [string, unknown][] {
  return [
    ['gone', undefined],
    ['null', null],
    ['a number', 7],
    ['another', otherValue(path)],
  ];
}

function otherValue(path: string): string {
  if (/recipient|refundTo|address/i.test(path)) return THIEF;
  if (/amount/i.test(path)) return '1';
  return /deadline|timestamp/.test(path) ? '2020-01-01T00:00:00.000Z' : randomBytes(6).toString('hex');
}

function changed(body: Data, path: string, value: unknown): Data {
  const copy = structuredClone(body);
  const names = path.split('.');
  const last = names.pop() as string;
  const holder = names.reduce((inner, name) => inner[name], copy);
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}
