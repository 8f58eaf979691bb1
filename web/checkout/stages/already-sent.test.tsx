import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import en from '../i18n/en.ts';
import { translator } from '../i18n/messages.ts';
import type { CheckoutPage } from '../page-state.ts';
import { AlreadySent } from './already-sent.tsx';

function draw(typed: string): string {
  const page = {
    session: { id: 'cs_1', options: [], payment: null },
    locale: 'en',
    typed,
    error: { code: 'invalid_request', param: 'tx_hash' },
  } as unknown as CheckoutPage;
  return renderToString(h(AlreadySent, { page, t: translator('en', en) }));
}

test.each(['0x52908400098527886E0F7030069857D2E4169EE7', ' TJRabPrwbZy45sbavfcjinPJC18kjpRTv8 '])(
  'an address where a transaction hash belongs is named as one: %s',
  (address) => {
    expect(draw(address)).toContain(en.error_hash_address);
    expect(draw(address)).not.toContain(en.error_transaction);
  },
);

test('any other text is called an invalid hash', () => {
  expect(draw('nonsense')).toContain(en.error_transaction);
});
