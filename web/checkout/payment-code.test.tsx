import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import en from './i18n/en.ts';
import { translator } from './i18n/messages.ts';
import { PaymentCode } from './payment-code.tsx';
import { codeTexts, transactionRequest } from './code-texts.ts';
import type { CheckoutPage, PublicPayment } from './page-state.ts';
import { qrPath } from '../ui/qr-path.ts';

const REQUEST = 'solana:https://pay.example.com/checkout/cs_4fzqzXm2V9pQ7rT1kB3nW8yA/solana-pay';
const payment = {
  asset: 'USDC',
  network: 'solana',
  kind: 'direct',
  address: '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs',
  uri: 'solana:7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs?amount=49',
} as PublicPayment;
const draw = (request: string | null) =>
  renderToString(h(PaymentCode, { payment, request, amount: '49', t: translator('en', en) }));
const page = (changes: Partial<PublicPayment>, solanaPay: string | null) =>
  ({ session: { payment: { ...payment, ...changes } }, links: { solanaPay } }) as CheckoutPage;

test('the code is a transaction request where there is one, and the plain transfer stays within reach', () => {
  const html = draw(REQUEST);
  expect(html).toContain(qrPath(REQUEST).path);
  expect(html.match(/type="radio"/g)).toHaveLength(3);
  expect(html).toContain(en.qr_transfer);
});

test('elsewhere the code is the transfer, without a choice', () => {
  const html = draw(null);
  expect(html).toContain(qrPath(payment.uri as string).path);
  expect(html.match(/type="radio"/g)).toHaveLength(2);
});

test('only a direct payment on Solana has a transaction request', () => {
  expect(transactionRequest(page({}, REQUEST))).toBe(REQUEST);
  expect(transactionRequest(page({ kind: 'routed' }, REQUEST))).toBe(null);
  expect(transactionRequest(page({ network: 'bitcoin' }, REQUEST))).toBe(null);
  expect(transactionRequest(page({}, null))).toBe(null);
});

test('the page of a test takes no code for its own but its address', () => {
  const { uri, address } = payment;
  const texts = (livemode: boolean) =>
    codeTexts({
      session: { livemode, payment },
      links: { page: 'https://pay.example.com', solanaPay: REQUEST },
    } as CheckoutPage);
  expect(texts(false)).toEqual(['https://pay.example.com']);
  expect(texts(true)).toEqual([address, uri, REQUEST]);
});
