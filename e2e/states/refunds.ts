import type { RefundPage } from '@quittance/web/checkout';
import type { State } from './state.ts';

const ADDRESS = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

/** The page on which a customer says where their refund goes. */
const asked: RefundPage = {
  locale: 'en',
  path: '/refund/x',
  merchant: { name: 'Fern & Fog', logo_url: null, support_email: 'help@fern-and-fog.example', support_url: null },
  logo: null,
  livemode: true,
  amount: '9.80',
  currency: 'USD',
  description: 'Two ferns and a pot',
  orderId: 'order-1028',
  coinAmount: '9.809515',
  asset: 'USDC',
  network: 'base',
  stage: 'ask',
  address: null,
  txHash: null,
  expiresAt: '2026-03-21T09:26:53.000Z',
  typed: '',
  review: null,
  error: null,
  sign: { family: 'evm', payers: [ADDRESS], text: 'Receive a refund at {address}' },
};

function refund(name: string, more: Partial<RefundPage> = {}): State {
  return {
    name,
    draw: (renderer, assets, locale) => renderer.renderRefund({ ...asked, ...more, locale }, assets),
  };
}

const NAMED = { sign: null, address: ADDRESS };

export const REFUND_STATES: readonly State[] = [
  refund('refund-ask'),
  refund('refund-ask-refused', { livemode: false, typed: `${ADDRESS}0`, error: 'address' }),
  refund('refund-ask-wrong-wallet', { error: 'wallet' }),
  refund('refund-review', { review: ADDRESS }),
  refund('refund-named', { ...NAMED, stage: 'named' }),
  refund('refund-used', { ...NAMED, stage: 'named', error: 'used' }),
  refund('refund-planned', { ...NAMED, stage: 'planned' }),
  refund('refund-returned', {
    ...NAMED,
    stage: 'returned',
    txHash: '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  }),
  refund('refund-closed', { sign: null, stage: 'closed' }),
];
