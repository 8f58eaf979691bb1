import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import en from '../i18n/en.ts';
import { translator } from '../i18n/messages.ts';
import type { CheckoutPage, PublicPayment } from '../page-state.ts';
import { Checkout } from '../page.tsx';
import { EndStage } from './end.tsx';

const routed = {
  asset: 'BTC',
  network: 'bitcoin',
  kind: 'routed',
  amount: '0.00083412',
  amount_due: '0.00083412',
  amount_seen: '0.00000000',
  amount_received: '0.00000000',
  provider: 'near',
  provider_order: 'order-7',
  refund_address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  failure_reason: null,
  tx_hashes: [],
  other_transfers: [],
} as unknown as PublicPayment;
const short = { amount_seen: '0.00040000', amount_due: '0.00043412' };
const other = { asset: 'USDT', network: 'base', amount: '49', tx_hash: '0x5c', reason: 'other_asset' } as const;

function draw(
  changes: Partial<PublicPayment> | null,
  status = 'expired',
  refunded = '0.00',
  more: Partial<CheckoutPage> = {},
  session: object = {},
): string {
  const page = pageOf(changes, { status, refunded_amount: refunded, ...session }, more);
  return renderToString(h(EndStage, { page, t: translator('en', en) }));
}

function pageOf(
  changes: Partial<PublicPayment> | null,
  session: object,
  more: Partial<CheckoutPage> = {},
): CheckoutPage {
  return {
    session: {
      id: 'cs_4fzqzXm2V9pQ7rT1kB3nW8yA',
      livemode: true,
      amount: '98.00',
      currency: 'USD',
      options: [],
      merchant: { name: 'Fern & Fog', logo_url: null, support_email: 'help@fern-and-fog.example', support_url: null },
      payment: changes && { ...routed, ...changes },
      ...session,
    },
    locale: 'en',
    typed: '',
    links: { page: 'https://pay.example.com', success: null, cancel: null, restart: null },
    ...more,
  } as unknown as CheckoutPage;
}

test('an expired checkout without money says that no payment for the order was found, and promises nothing', () => {
  expect(draw({})).toContain(en.expired_text);
  expect(en.expired_text).not.toMatch(/charged/);
});

test('an expired checkout with a part of a deposit says what came, and that the provider returns it', () => {
  const html = draw(short);
  for (const text of [
    en.refund_required_underpaid,
    'returns your BTC to your refund address',
    en.held_by,
    '0.0004 BTC',
  ])
    expect(html).toContain(text);
  // The merchant has nothing to decide.
  expect(html).not.toContain(en.refund_required_at_provider);
  expect(html).not.toContain(en.expired_text);
});

test('whose money waits for a decision is led to the merchant before the shop, with the order, and not to pay again', () => {
  const more = { orderId: 'order-1028', links: { page: 'https://pay.example.com', cancel: 'https://shop.example' } };
  const html = draw(
    { ...short, failure_reason: 'paid_late' },
    'refund_required',
    '0.00',
    more as Partial<CheckoutPage>,
  );
  for (const text of ['Don’t pay again.', 'order-1028']) expect(html).toContain(text);
  expect(html).toMatch(/class="button primary" href="mailto:help@.*class="button " href="https:..shop.example"/);
  expect(html.match(/Contact Fern/g)).toHaveLength(1);
  // Once the merchant prepares a refund, there is nothing to ask them for.
  const undecided = (sent: boolean | null) =>
    draw({ ...short, kind: 'direct', failure_reason: 'paid_late' }, 'refund_required', '0.00', {
      ...(sent !== null && { refund: { amount: '12', asset: 'BTC', sent } }),
    });
  expect(undecided(null)).toContain(en.refund_required_at_merchant);
  for (const html of [undecided(false), undecided(true)]) {
    expect(html).toContain(en.refund_required_paid_late);
    expect(html).not.toContain(en.refund_required_at_merchant);
  }
  // Of the rest nothing is decided. The last digits of an exact amount are no rest.
  const refunding = (amount: string, arrived: string[] = []) =>
    draw(
      { kind: 'direct', asset: 'USDC', amount_seen: '49.007334', failure_reason: 'paid_late' },
      'refund_required',
      '0',
      {
        refund: { amount, asset: 'USDC', sent: false },
        refunds: arrived.map((one) => ({
          at: '2026-03-15',
          amount: one,
          asset: 'USDC',
          network: 'base',
          txHash: null,
        })),
      },
    );
  for (const html of [refunding('3.000000'), refunding('20.000000', ['3.000000'])])
    expect(html).toContain(en.refund_required_at_merchant);
  for (const html of [refunding('49.007334'), refunding('49.000000'), refunding('46.007334', ['1.000000', '2.000000'])])
    expect(html).not.toContain(en.refund_required_at_merchant);
  const returned = draw(
    { ...short, failure_reason: 'route_refunded' },
    'expired',
    '0.00',
    more as Partial<CheckoutPage>,
  );
  expect(returned).not.toContain(en.keep_page);
  expect(returned).toContain('class="button primary" href="https://shop.example"');
  const retried = { links: { ...more.links, retry: '/checkout/cs_other' } } as Partial<CheckoutPage>;
  const late = draw({ ...short, failure_reason: null }, 'expired', '0.00', retried);
  for (const text of ['/checkout/cs_other', en.retried_text]) expect(late).not.toContain(text);
  const twice = { links: { ...retried.links, isRetryPaid: true } } as Partial<CheckoutPage>;
  const paid = draw({ ...short, failure_reason: 'paid_late' }, 'refund_required', '0.00', twice);
  for (const text of ['class="button " href="/checkout/cs_other"', en.retried_paid]) expect(paid).toContain(text);
});

test('an expired checkout whose whole deposit came too late does not call it too little', () => {
  const html = draw({ amount_seen: '0.00083412', amount_due: '0.00000000' });
  expect(html).toContain(en.refund_required_at_provider);
  expect(html).not.toContain(en.refund_required_underpaid);
});

test('an expired checkout whose deposit was returned says where it went', () => {
  const html = draw({ ...short, failure_reason: 'route_refunded' });
  expect(html).toContain('You sent too little to convert, so your BTC was returned to your refund address.');
  expect(html).not.toContain(en.held_by);
  const whole = { amount_seen: '0.00083412', amount_due: '0.00000000', failure_reason: 'route_refunded' } as const;
  expect(draw(whole, 'failed')).toContain('The conversion failed, and your BTC was returned');
  // What came too late was not converted.
  expect(draw(whole)).toContain('>Your BTC was returned to your refund address.');
  expect(draw({ ...short, failure_reason: 'route_refunded' }, 'failed')).toContain('You sent too little to convert');
});

test('an expired checkout that another coin reached speaks of that coin alone', () => {
  const html = draw({ other_transfers: [other] });
  expect(html).toContain(en.other_transfer_title);
  expect(html).not.toContain(en.expired_text);
});

test('whose named transfer cannot be matched, or was not found, is led to the merchant and not to pay again', () => {
  const named = { ...other, asset: 'USDC', amount: '49.000000', reason: 'no_match' } as const;
  const expired = (changes: object, more: object) =>
    draw(changes, 'expired', '0.00', more as Partial<CheckoutPage>, { can_retry: true });
  const arrived = expired({ other_transfers: [named] }, { noticed: true });
  expect(arrived).toContain('Your transfer of 49 USDC arrived');
  // Another payment may have it, which only the merchant may learn.
  expect(arrived).not.toContain('merchant sees');
  const sent = { wallet: { step: 'sent', hash: '0x5c' } };
  const maybe = { wallet: { step: 'failed', key: 'wallet_unknown', values: {} } };
  const coin = expired({ other_transfers: [other] }, {});
  for (const html of [arrived, coin, expired({}, { noticed: true }), expired({}, sent), expired({}, maybe)]) {
    expect(html).toMatch(/class="button primary" href="mailto:help@.*<button>Try again/);
    for (const text of [en.expired_text, 'primary">Try again']) expect(html).not.toContain(text);
  }
  // Who reads that it arrived need not wait for it to be found.
  expect(arrived).not.toContain(en.expired_sought);
  expect(arrived.match(/<details[^>]*>/)?.[0]).toBe('<details>');
  expect(expired({}, maybe)).toContain(en.expired_sought);
  // One answer, and none to what was refused.
  const refused = { noticed: true, error: { code: 'invalid_request', param: 'tx_hash' } };
  expect(expired({}, { noticed: true })).not.toContain(en.hash_submitted);
  expect(expired(short, { noticed: true })).toContain(en.hash_submitted);
  expect(expired(short, refused)).not.toContain(en.hash_submitted);
  const rejected = { wallet: { ...maybe.wallet, key: 'wallet_rejected' } };
  expect(expired({}, rejected)).toContain('<button class="primary">Try again');
  const dust = { other_transfers: [{ ...named, reason: 'too_small' }] };
  const small = expired(dust, {});
  expect(small).toContain('<button class="primary">Try again');
  expect(small).not.toContain(en.expired_sought);
  expect(expired(dust, { noticed: true })).toContain(en.expired_sought);
  // The conversion found it, and has sent it back.
  const returned = expired({ ...short, failure_reason: 'route_refunded' }, { noticed: true });
  expect(returned).toContain('was returned to your refund address');
  expect(returned).not.toContain(en.expired_sought);
});

test.each(['expired', 'failed', 'pending'])(
  'a retry that has ended denies no money in an earlier checkout (%s)',
  (status) => {
    const session = {
      status,
      can_retry: true,
      refunded_amount: '0.00',
      description: null,
      line_items: null,
      expires_at: null,
    };
    const drawn = (more: object) =>
      renderToString(
        h(Checkout, {
          page: pageOf({}, { ...session, ...more }, { timeUp: true }),
          catalog: en,
          After: EndStage,
        }),
      );
    expect(drawn({})).not.toContain(en.earlier_open);
    for (const [arrived, warning] of [
      [true, en.earlier_arrived],
      [false, en.earlier_named],
    ] as const) {
      const html = drawn({ earlier: { id: 'cs_earlier', arrived } });
      for (const text of [warning, `<a href="/checkout/cs_earlier">${en.earlier_open}`]) expect(html).toContain(text);
      for (const text of [en.expired_text, en.failed_text, 'class="primary"']) expect(html).not.toContain(text);
    }
  },
);

test('a checkout of a payment link can be started again, unless its money is still held', () => {
  const links = { page: 'https://pay.example.com', restart: '/pay/pl_1' };
  const expired = (changes: object) => draw(changes, 'expired', '0.00', { links } as Partial<CheckoutPage>);
  const dust = { ...other, reason: 'too_small' };
  for (const html of [expired({}), expired({ other_transfers: [dust] })])
    expect(html).toContain('<a class="button primary" href="/pay/pl_1">Start again');
  // Whose transfer lies unmatched asks the merchant first.
  for (const reason of ['no_match', 'other_asset'])
    expect(expired({ other_transfers: [{ ...other, reason }] })).toMatch(
      /class="button primary" href="mailto:help@.*<a class="button " href="\/pay\/pl_1">Start again/,
    );
  expect(expired(short)).not.toContain(en.start_again);
  expect(expired({ ...short, failure_reason: 'route_refunded' })).toContain(en.start_again);
});

test('a refund is said to come from the merchant’s wallet only if money reached it', () => {
  const direct = { kind: 'direct', asset: 'USDC', network: 'base', amount_seen: '49.000000' } as const;
  const paidOut = { amount_seen: '0.00083412', tx_hashes: ['0x5c'] };
  for (const changes of [direct, paidOut]) expect(draw(changes, 'refunded')).toContain(en.refunded_text);

  const atProvider = draw({ amount_seen: '0.00083412', failure_reason: 'route_failed' }, 'refunded');
  expect(atProvider).toContain(en.refunded_at_provider);
  for (const html of [
    atProvider,
    draw({}, 'refunded'),
    draw({ ...direct, amount_seen: '0' }, 'refunded'),
    draw(null, 'refunded'),
  ]) {
    expect(html).toContain(en.refunded_recorded);
    expect(html).not.toContain(en.refunded_text);
  }
});

test('what a conversion paid out too little of is in the merchant’s wallet', () => {
  const html = draw({ amount_seen: '0.00083412', tx_hashes: ['0x5c'], failure_reason: 'underpaid' }, 'refund_required');
  expect(html).toContain(en.refund_required_at_merchant);
  expect(html).not.toContain(en.held_by);
  const options = [{ kind: 'direct', asset: 'USDC', network: 'base' }];
  const paid = draw({ amount_seen: '0.00083412', tx_hashes: ['0x5c'] }, 'paid', '0.00', {}, { options });
  expect(paid).toContain('Delivered to the merchant on Base');
});

test('what the merchant returned is said with the amount of the order, whether it is all of it or a part', () => {
  const direct = { kind: 'direct', asset: 'USDC', amount: '98.007334', amount_received: '107.816849' } as const;
  expect(draw(direct, 'paid')).not.toContain(en.refunded_title);
  const part = draw(direct, 'paid', '9.80');
  for (const text of [en.paid_title, en.overpaid, '9.809515 USDC', en.refunded_title, '>9.80 USD<'])
    expect(part).toContain(text);
  // The surplus went back, so the customer is not sent to ask for it.
  expect(part).not.toContain('too much');
  expect(draw({ ...direct, amount_received: '98.007334' }, 'paid', '9.80')).toContain('9.80 of 98.00 USD');
  const at = '2026-03-15T09:26:53.000Z';
  const refunds = [{ at, amount: '9.809515', asset: 'USDC', network: 'base', txHash: '0x5c50' }];
  const listed = draw(direct, 'paid', '9.80', { refunds });
  for (const text of ['March 15, 2026', '9.809515 USDC</bdi> on Base', '0x5c50']) expect(listed).toContain(text);
  expect(draw(direct, 'refunded', '98.00')).toContain('98.00 of 98.00 USD');
});

test('more than the amount of the order is not said to be a part of it', () => {
  const direct = { kind: 'direct', asset: 'USDC', amount: '98.007334', amount_received: '107.816849' } as const;
  const all = draw(direct, 'refunded', '107.80');
  for (const text of [en.overpaid, '9.809515 USDC', '>107.80 USD<']) expect(all).toContain(text);
  // The last digits of an exact amount are worth up to a few cents.
  const exact = draw({ ...direct, amount: '98.047334', amount_received: '98.047334' }, 'refunded', '98.04');
  expect(exact).toContain('>98.04 USD<');
  expect(exact).not.toContain(en.overpaid);
});

test('who sent too much has a link to the merchant, and is shown a refund that is planned or on its way instead', () => {
  const direct = { kind: 'direct', asset: 'USDC', amount: '98.007334', amount_received: '107.816849' } as const;
  const over = draw(direct, 'paid');
  for (const text of ['9.809515', 'too much', 'help@fern-and-fog.example']) expect(over).toContain(text);
  const refund = { amount: '9.809515', asset: 'USDC', sent: false };
  const planned = draw(direct, 'paid', '0.00', { refund });
  expect(planned).toContain('is preparing a refund of');
  expect(planned).not.toContain('too much');
  expect(draw(direct, 'paid', '0.00', { refund: { ...refund, sent: true } })).toContain('is on its way to you');
  expect(draw({ ...direct, amount_received: direct.amount }, 'paid')).not.toContain('help@fern-and-fog.example');
});

test('who sent a conversion too much reads who returns it and where, unless it is what an exchange rounded up', () => {
  const over = draw({ amount_received: '0.00091753' }, 'paid');
  for (const text of ['You sent 0.00008341 BTC too much', 'returns it to your refund address', routed.refund_address])
    expect(over).toContain(text);
  // The merchant has not got it.
  for (const text of ['help@fern-and-fog.example', 'Contact']) expect(over).not.toContain(text);
  expect(draw({ amount_received: '0.00083413' }, 'paid')).not.toContain('too much');
});
