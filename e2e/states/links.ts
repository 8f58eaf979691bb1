import type { State } from './state.ts';

/** The pages of payment links. */
export const LINK_STATES: readonly State[] = [
  {
    name: 'link',
    draw: (renderer, assets, locale, url) =>
      renderer.renderPaymentLink(
        {
          id: 'pl_4fzqzXm2V9pQ7rT1kB3nW8yA',
          url,
          locale,
          merchant: { name: 'Fern & Fog' },
          logo: null,
          description: 'A fern a month',
          amount: '19.00',
          currency: 'EUR',
          livemode: true,
          askFor: [],
          noteLabel: null,
          openAmount: null,
          estimate: '£16.72',
          idempotencyKey: 'req_x',
        },
        assets,
      ),
  },
  {
    name: 'link-asks',
    draw: (renderer, assets, locale, url) =>
      renderer.renderPaymentLink(
        {
          id: 'pl_4fzqzXm2V9pQ7rT1kB3nW8yA',
          url,
          locale,
          merchant: { name: 'Fern & Fog' },
          logo: null,
          description: 'For the greenhouse',
          amount: '20.00',
          currency: 'EUR',
          livemode: true,
          askFor: ['name', 'email', 'note'],
          noteLabel: null,
          openAmount: { min: '5.00', max: '500.00' },
          estimate: null,
          typed: { amount: '4', email: 'kim' },
          refused: ['amount'],
          idempotencyKey: 'req_x',
        },
        assets,
      ),
  },
];
