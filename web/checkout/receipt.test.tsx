import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import en from './i18n/en.ts';
import { translator } from './i18n/messages.ts';
import type { CheckoutPage } from './page-state.ts';
import { Receipt } from './receipt.tsx';

const page = {
  session: {
    id: 'cs_4fzqzXm2V9pQ7rT1kB3nW8yA',
    status: 'paid',
    livemode: true,
    amount: '98.00',
    currency: 'USD',
    description: null,
    line_items: null,
    refunded_amount: '0.00',
    merchant: { name: 'Fern & Fog', logo_url: null, support_email: null, support_url: null },
    payment: null,
    options: [],
  },
  locale: 'en',
  links: { page: 'https://pay.example.com', success: null, cancel: null, restart: null },
} as unknown as CheckoutPage;
const text = ({ orderId = null, ...more }: { orderId?: string | null; details?: string; signedUrl?: string }) =>
  renderToString(
    h(Receipt, {
      page: { ...page, orderId },
      receipt: {
        url: 'https://pay.example.com/r',
        paidAt: null,
        signedUrl: null,
        details: null,
        ...more,
      },
      t: translator('en', en),
    }),
  )
    .replaceAll(/<[^>]*>/g, '\n')
    .replaceAll(/\n+/g, '\n');

test('a description that is the only line of the order is said once', () => {
  const items = [{ name: 'Two ferns', quantity: 1, amount: '98.00' }];
  const draw = (line_items: object[]) => {
    const session = { ...page.session, description: 'Two ferns', line_items } as CheckoutPage['session'];
    const receipt = { url: 'https://pay.example.com/r', paidAt: null, signedUrl: null, details: null };
    return renderToString(h(Receipt, { page: { ...page, session }, receipt, t: translator('en', en) }));
  };
  expect(draw(items).match(/Two ferns/g)).toHaveLength(1);
  expect(draw([...items, ...items]).match(/Two ferns/g)).toHaveLength(3);
});

test("a receipt begins with the order's number and its own, and says who was paid as the law asks", () => {
  const shown = text({ orderId: 'order-1028', details: 'Fern & Fog GmbH\nBerlin\u202e\nVAT DE123456789' });
  expect(shown).toContain('Receipt\nOrder\norder-1028\nReceipt number\ncs_4fzqzXm2V9pQ7rT1kB3nW8yA\nStatus\nPaid\n');
  expect(shown).toContain('Paid to\nFern &amp; Fog\nFern &amp; Fog GmbH\nBerlin\nVAT DE123456789\nAmount\n');
});

test('a receipt without them has no empty lines for them', () => {
  expect(text({})).toContain('Receipt\nReceipt number\ncs_4fzqzXm2V9pQ7rT1kB3nW8yA\nStatus\n');
});

test('a coin that was chosen and never sent is not what was paid with', () => {
  const draw = (amount_received: string) => {
    const payment = { asset: 'USDC', network: 'base', amount: '98.000000', amount_received, tx_hashes: [] };
    const session = { ...page.session, status: 'expired', payment } as unknown as CheckoutPage['session'];
    const receipt = { url: 'https://pay.example.com/r', paidAt: null, signedUrl: null, details: null };
    return renderToString(h(Receipt, { page: { ...page, session }, receipt, t: translator('en', en) }));
  };
  expect(draw('12.000000')).toContain(en.paid_with);
  expect(draw('0.000000')).not.toContain(en.paid_with);
});

test('a receipt is printed first, leads back to itself at the end, and only auditors need the signed one', () => {
  const shown = text({ signedUrl: '/signed' });
  const places = [en.print, en.receipt_link, en.receipt_signed].map((part) => shown.indexOf(part));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect(shown.replace(/[\u2066-\u2069]/g, '')).toContain('Paid to Fern &amp; Fog on pay.example.com');
});
