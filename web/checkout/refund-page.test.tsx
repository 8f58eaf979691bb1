import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import de from './i18n/de.ts';
import { translator } from './i18n/messages.ts';
import { RefundPageView } from './refund-page.tsx';
import type { RefundPage } from './renderer.ts';

const asked = {
  locale: 'de',
  path: '/refund/x',
  merchant: { name: 'Fern & Fog', logo_url: null, support_email: null, support_url: null },
  livemode: true,
  amount: '9.80',
  currency: 'USD',
  description: 'Two ferns',
  orderId: 'order-1028',
  coinAmount: '9.809515',
  asset: 'USDC',
  network: 'base',
  stage: 'ask',
  expiresAt: '2026-03-21T09:26:53.000Z',
  typed: '',
  review: null,
  error: null,
  sign: null,
} as unknown as RefundPage;
const draw = (more: Partial<RefundPage> = {}) =>
  renderToString(h(RefundPageView, { page: { ...asked, ...more }, t: translator('de', de) }));

test('the page says what the refund is for, and keeps the coin and where to look after the address was named', () => {
  for (const text of ['Two ferns', `>${de.order_number}<`, 'order-1028']) expect(draw()).toContain(text);
  const named = draw({ stage: 'named', address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D' });
  for (const text of ['9,809515 USDC', 'auf Base', de.refund_follow]) expect(named).toContain(text);
  expect(draw({ stage: 'returned', address: '0x1' })).not.toContain(de.refund_follow);
});

test('an address of another kind of network is named as such', () => {
  const typed = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
  const other = de.error_other_network.replace('{other}', 'Tron').replace('{network}', 'Base');
  const plain = (more: Partial<RefundPage>) => draw(more).replace(/[\u2066-\u2069]/g, '');
  expect(plain({ error: 'address', typed })).toContain(other);
  expect(plain({ error: 'address', typed: 'nonsense' })).not.toContain(other);
});

test('the amount of a refund is written alike wherever it stands, with the mark of the language', () => {
  expect(draw().match(/9[.,]809515/g)).toEqual(['9,809515', '9,809515']);
});
