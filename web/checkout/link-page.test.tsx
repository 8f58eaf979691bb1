import { LARGEST_AMOUNT, LEAST_AMOUNT } from '@quittance/contract/cents';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import { catalogs } from './i18n/catalogs.ts';
import en from './i18n/en.ts';
import { translator } from './i18n/messages.ts';
import { LinkPageView } from './link-page.tsx';
import type { LinkPage } from './renderer.ts';

test('the field of an amount cuts none that is pasted as a language writes it with its currency', () => {
  const page = {
    id: 'pl_1',
    url: 'https://pay.example.com/pay/pl_1',
    livemode: true,
    merchant: { name: 'Fern & Fog' },
    amount: LEAST_AMOUNT,
    currency: 'USD',
    description: 'Your own price',
    openAmount: { min: LEAST_AMOUNT, max: LARGEST_AMOUNT },
    askFor: [],
    locale: 'en',
  } as unknown as LinkPage;
  const html = renderToString(h(LinkPageView, { page, t: translator('en', en) }));
  const longest = Number(/maxlength="(\d+)"/.exec(html)?.[1]);
  for (const locale of Object.keys(catalogs)) {
    const format = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', currencyDisplay: 'code' });
    expect(longest).toBeGreaterThanOrEqual(format.format(LARGEST_AMOUNT as unknown as number).length);
  }
});
