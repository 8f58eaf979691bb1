import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import de from './i18n/de.ts';
import { translator } from './i18n/messages.ts';
import { RefundPageView } from './refund-page.tsx';
import type { RefundPage } from './renderer.ts';

test('the amount of a refund is written alike wherever it stands, with the mark of the language', () => {
  const page = {
    locale: 'de',
    path: '/refund/x',
    merchant: { name: 'Fern & Fog', logo_url: null, support_email: null, support_url: null },
    livemode: true,
    amount: '9.80',
    currency: 'USD',
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
  const html = renderToString(h(RefundPageView, { page, t: translator('de', de) }));
  expect(html.match(/9[.,]809515/g)).toEqual(['9,809515', '9,809515']);
});
