import type { CheckoutPage, PublicSession } from '@quittance/web/checkout';
import { LINK_STATES } from './links.ts';
import { REFUND_STATES } from './refunds.ts';
import type { State } from './state.ts';
import { failedStep, WalletError } from '../../web/checkout/wallets/problem.ts';

const NOW = '2026-03-14T09:26:53.000Z';
const LATER = '2026-03-14T10:05:00.000Z';
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const EARLIER = { earlier: { id: 'cs_5fzqzXm2V9pQ7rT1kB3nW8yA', arrived: true } };
const HASH = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060';
const REFUND = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

const OTHERS = [
  ['ETH', 'ethereum'],
  ['SOL', 'solana'],
  ['USDC', 'solana'],
  ['ETH', 'base'],
  ['USDC', 'ethereum'],
  ['USDT', 'ethereum'],
  ['USDT', 'solana'],
  ['BTC', 'bitcoin'],
  ['BNB', 'bnb'],
  ['POL', 'polygon'],
  ['ETH', 'arbitrum'],
  ['AVAX', 'avalanche'],
  ['TRX', 'tron'],
  ['USDT', 'tron'],
  ['USDC', 'polygon'],
  ['USDC', 'arbitrum'],
] as const;

const created: PublicSession = {
  id: 'cs_4fzqzXm2V9pQ7rT1kB3nW8yA',
  status: 'created',
  amount: '49.00',
  currency: 'USD',
  description: 'Two ferns and a pot',
  line_items: [
    { name: 'Fern, potted', quantity: 2, amount: '24.50' },
    { name: 'Clay pot', quantity: 1, amount: '5.00' },
    { name: 'Spring discount', quantity: 1, amount: '-5.00' },
  ],
  merchant: { name: 'Fern & Fog', logo_url: null, support_email: 'help@fern-and-fog.example', support_url: null },
  livemode: true,
  expires_at: LATER,
  refunded_amount: '0.00',
  can_retry: false,
  server_time: NOW,
  options: [
    {
      asset: 'USDC',
      network: 'base',
      kind: 'direct',
      available: true,
      estimated_amount: '49.000000',
      typical_seconds: 20,
    },
    ...OTHERS.map(([asset, network]) => ({
      asset,
      network,
      kind: 'routed' as const,
      available: true,
      estimated_amount: asset.startsWith('USD') ? '49.000000' : '0.01960031',
      typical_seconds: network === 'bitcoin' ? 1_280 : 110,
    })),
  ],
  payment: null,
};

type Payment = NonNullable<PublicSession['payment']>;

const direct: Payment = {
  asset: 'USDC',
  network: 'base',
  kind: 'direct',
  address: ADDRESS,
  amount: '49.000317',
  amount_due: '49.000317',
  amount_seen: '0.000000',
  amount_received: '0.000000',
  uri: `ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=${ADDRESS}&uint256=49000317`,
  reference: '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs',
  tag: '0x51544e439f2c5b6e1d4a8c7730e1b2a4c6d8f011',
  identified_by: 'amount',
  confirmations: null,
  confirmations_needed: 12,
  tx_hashes: [],
  failure_reason: null,
  quote_expires_at: null,
  refund_address: null,
  provider: null,
  provider_order: null,
  price_warning_pct: null,
  other_transfers: [],
};
const routed: Payment = {
  ...direct,
  asset: 'BTC',
  network: 'bitcoin',
  kind: 'routed',
  address: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
  amount: '0.00083412',
  amount_due: '0.00083412',
  amount_seen: '0.00000000',
  amount_received: '0.00000000',
  uri: 'bitcoin:3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy?amount=0.00083412',
  reference: null,
  tag: null,
  identified_by: null,
  confirmations_needed: null,
  refund_address: REFUND,
  provider: 'one-click',
  provider_order: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
};
const seen: Partial<Payment> = {
  amount_due: '0.000000',
  amount_seen: '49.000317',
  confirmations: 4,
  tx_hashes: [HASH],
};
const RETURNED = { failure_reason: 'route_refunded', amount_seen: '0.00083412', amount_due: '0.00000000' } as const;
const final: Partial<Payment> = { ...seen, amount_received: '49.000317', confirmations: 12 };

const session = (
  status: PublicSession['status'],
  payment: Partial<Payment> | null = {},
  base: Payment = direct,
  more: Partial<PublicSession> = {},
): PublicSession => ({ ...created, ...more, status, payment: payment && { ...base, ...payment } });

function checkout(name: string, shown: PublicSession, more: Partial<CheckoutPage> = {}, hasWallet = false): State {
  return {
    name,
    session: shown,
    hasWallet,
    draw: (renderer, assets, locale, url) => renderer.renderCheckout(pageOf(shown, locale, url, more), assets),
  };
}

function pageOf(shown: PublicSession, locale: string, url: string, more: Partial<CheckoutPage> = {}): CheckoutPage {
  return {
    session: shown,
    locale,
    view: 'auto',
    choice: null,
    typed: '',
    error: null,
    noticed: false,
    orderId: 'order-1028',
    logo: null,
    frameParents: [],
    links: {
      page: url,
      success: shown.status === 'paid' ? 'https://fern-and-fog.example/thanks' : null,
      cancel: 'https://fern-and-fog.example/basket',
      restart: null,
    },
    ...more,
  };
}

const BTC = { asset: 'BTC', network: 'bitcoin' };
const ETHER = { asset: 'ETH', network: 'base' };
const UNDERPAID = { amount_due: '24.500158', amount_seen: '24.500159' };
const OTHER_COIN: Partial<Payment> = {
  other_transfers: [{ asset: 'USDT', network: 'base', amount: '49.000317', tx_hash: HASH, reason: 'other_asset' }],
};
const NAMED: Partial<Payment> = {
  other_transfers: [{ asset: 'USDC', network: 'base', amount: '49.000000', tx_hash: HASH, reason: 'no_match' }],
};
const REFUSED = { error: { code: 'service_unavailable', param: null } };
const REJECTED = { wallet: failedStep(new WalletError('wallet_rejected')) };
const sol: Payment = {
  ...direct,
  asset: 'SOL',
  network: 'solana',
  address: 'FhpHVjSNLFJHyy8L9Z4M5qZ2VbZ4wZoyDk1c7mY7m8aE',
  amount: '0.326668000',
  amount_due: '0.326668000',
  amount_seen: '0.000000000',
  tag: null,
  uri: 'solana:FhpHVjSNLFJHyy8L9Z4M5qZ2VbZ4wZoyDk1c7mY7m8aE?amount=0.326668&reference=7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs',
  quote_expires_at: '2026-03-14T09:41:53.000Z',
};
const solOptions: PublicSession['options'] = [
  { asset: 'SOL', network: 'solana', kind: 'direct', available: true, estimated_amount: null, typical_seconds: null },
];

/** Every state of the pages. */
export const STATES: readonly State[] = [
  ...LINK_STATES,
  ...REFUND_STATES,
  checkout('choose', created),
  checkout('choose-others', { ...created, options: created.options.filter(({ kind }) => kind === 'routed') }),
  checkout('choose-nothing', {
    ...created,
    options: created.options.map((option) => ({ ...option, available: false })),
  }),
  checkout('choose-earlier-arrived', { ...created, ...EARLIER }),
  checkout('refund-address', created, { choice: { ...BTC, price: '0.01989431' } }),
  checkout('refund-address-refused', created, {
    choice: BTC,
    typed: ADDRESS,
    error: { code: 'invalid_route', param: 'refund_address' },
  }),
  checkout('refund-address-wallet-fails', created, { choice: ETHER, ...REJECTED }, true),
  checkout('pay', session('pending')),
  checkout('pay-test', session('pending', {}, direct, { livemode: false })),
  checkout('pay-from-exchange', session('pending'), { exchange: true }, true),
  checkout('pay-with-wallet', session('pending'), {}, true),
  checkout('pay-wallet-asks', session('pending'), { wallet: { step: 'confirm', wallet: 'Fern Wallet' } }, true),
  checkout(
    'pay-wallet-fails',
    session('pending'),
    {
      wallet: failedStep(new WalletError('wallet_low_balance', { balance: '3.2', amount: '49.000317', asset: 'USDC' })),
    },
    true,
  ),
  checkout(
    'pay-wallet-scan',
    session('pending'),
    {
      walletConnect: { projectId: '0'.repeat(32), relayUrl: 'wss://relay.example.com' },
      wallet: {
        step: 'scan',
        wallet: 'WalletConnect',
        uri: `wc:${'ab'.repeat(32)}@2?relay-protocol=irn&symKey=${'cd'.repeat(32)}`,
      },
    },
    true,
  ),
  checkout('pay-named', session('pending', NAMED), { noticed: true }, true),
  checkout('pay-wallet-sent', session('pending'), { wallet: { step: 'sent', hash: HASH } }, true),
  checkout('pay-wallet-without-gas', session('pending'), { gasless: true }, true),
  checkout(
    'pay-wallet-without-gas-signs',
    session('pending'),
    { gasless: true, wallet: { step: 'signing', wallet: 'Fern Wallet' } },
    true,
  ),
  checkout(
    'pay-wallet-without-gas-sent',
    session('pending'),
    { gasless: true, wallet: { step: 'sent', hash: null, signed: true } },
    true,
  ),
  checkout(
    'pay-wallet-without-gas-fails',
    session('pending'),
    { gasless: true, wallet: failedStep(new WalletError('gasless_expired')) },
    true,
  ),
  checkout('pay-quoted', session('pending', {}, sol, { options: solOptions })),
  checkout('pay-repriced', session('pending', {}, sol, { options: solOptions }), { repriced: true }),
  checkout('pay-routed', session('pending', {}, routed)),
  checkout('pay-routed-dear', session('pending', { price_warning_pct: 7.3 }, routed)),
  checkout('pay-routed-dear-refused', session('pending', { price_warning_pct: 7.3 }, routed), REFUSED),
  checkout('pay-routed-dear-offline', session('pending', { price_warning_pct: 7.3 }, routed), { offline: true }),
  checkout(
    'pay-routed-dear-wallet-fails',
    session('pending', { price_warning_pct: 7.3, ...ETHER, uri: null }, routed),
    REJECTED,
    true,
  ),
  checkout(
    'pay-by-wallet-only',
    session('pending', { amount: '49.000000', amount_due: '49.000000', identified_by: 'reference' }),
    {},
    true,
  ),
  checkout(
    'pay-by-wallet-only-fails',
    session('pending', { amount: '49.000000', amount_due: '49.000000', identified_by: 'reference' }),
    { ...REJECTED, offline: true },
    true,
  ),
  checkout(
    'choose-wallet-only',
    session('created', null),
    { error: { code: 'rate_limited', param: 'pay_asset' } },
    true,
  ),
  checkout('choose-wallet-fails', session('created', null), REJECTED, true),
  checkout('pay-refused', session('pending'), REFUSED),
  checkout('pay-hash-refused', session('pending'), {
    typed: '0x1234',
    error: { code: 'invalid_request', param: 'tx_hash' },
  }),
  checkout('pay-offline', session('pending'), { offline: true }),
  checkout('pay-tampered', session('pending'), { tampered: true }),
  checkout('underpaid', session('pending', UNDERPAID)),
  checkout('underpaid-routed', session('pending', { amount_seen: '0.00040000', amount_due: '0.00043412' }, routed)),
  checkout('underpaid-refused', session('pending', UNDERPAID), REFUSED),
  checkout('underpaid-offline', session('pending', UNDERPAID), { offline: true }),
  checkout('underpaid-wallet-fails', session('pending', UNDERPAID), REJECTED, true),
  checkout('pay-other-coin', session('pending', OTHER_COIN)),
  checkout('pay-other-coin-offline', session('pending', OTHER_COIN), { offline: true }),
  checkout('closing', session('pending', {}, direct, { server_time: LATER })),
  checkout('confirming', session('pending', seen)),
  checkout('converting', session('routing', { amount_seen: '0.00083412', amount_due: '0.00000000' }, routed)),
  checkout('delivering', session('settling', { amount_seen: '0.00083412', amount_due: '0.00000000' }, routed)),
  checkout('paid', session('paid', final)),
  checkout('overpaid', session('paid', { ...final, amount_seen: '54.000317', amount_received: '54.000317' })),
  checkout('paid-refunded', session('paid', final, direct, { refunded_amount: '9.80' }), {
    refunds: [
      { at: '2026-03-15T09:26:53.000Z', amount: '4.900000', asset: 'USDC', network: 'base', txHash: HASH },
      { at: '2026-03-16T09:26:53.000Z', amount: '4.900000', asset: 'USDC', network: 'base', txHash: null },
    ],
  }),
  checkout(
    'paid-twice',
    session('paid', {
      ...final,
      other_transfers: [{ asset: 'USDC', network: 'base', amount: '49.000317', tx_hash: HASH, reason: 'already_paid' }],
    }),
  ),
  checkout('expired', session('expired', {}, direct, { can_retry: true })),
  checkout('expired-earlier', session('expired', {}, direct, { can_retry: true, ...EARLIER })),
  checkout('expired-link', session('expired'), {
    links: {
      page: 'https://pay.example.com/checkout/cs_4fzqzXm2V9pQ7rT1kB3nW8yA',
      success: null,
      cancel: null,
      restart: '/pay/pl_4fzqzXm2V9pQ7rT1kB3nW8yA',
    },
  }),
  checkout('expired-retried', session('expired'), {
    links: {
      page: 'https://pay.example.com/checkout/cs_4fzqzXm2V9pQ7rT1kB3nW8yA',
      success: null,
      cancel: 'https://fern-and-fog.example/basket',
      restart: null,
      retry: '/checkout/cs_5fzqzXm2V9pQ7rT1kB3nW8yA',
    },
  }),
  checkout('expired-short', session('expired', { amount_seen: '0.00040000', amount_due: '0.00043412' }, routed)),
  checkout('expired-other-coin', session('expired', OTHER_COIN)),
  checkout('expired-other-coin-offline', session('expired', OTHER_COIN), { offline: true }),
  checkout('expired-noticed', session('expired', {}, direct, { can_retry: true }), { noticed: true }),
  checkout('expired-named', session('expired', NAMED, direct, { can_retry: true }), { noticed: true }),
  checkout(
    'failed-reverted',
    session('failed', { failure_reason: 'transaction_reverted' }, direct, { can_retry: true }),
  ),
  checkout('failed-returned', session('failed', RETURNED, routed)),
  checkout(
    'refund-required-underpaid',
    session('refund_required', {
      failure_reason: 'underpaid',
      amount_seen: '24.500159',
      amount_received: '24.500159',
      tx_hashes: [HASH],
    }),
  ),
  checkout('refund-required-late', session('refund_required', { ...final, failure_reason: 'paid_late' })),
  checkout(
    'refund-required-route',
    session('refund_required', { failure_reason: 'route_failed', amount_seen: '0.00083412' }, routed),
  ),
  checkout('refunded', session('refunded', final)),
  checkout(
    'refunded-at-provider',
    session('refunded', { failure_reason: 'route_failed', amount_seen: '0.00083412' }, routed),
  ),
  {
    name: 'receipt',
    draw: (renderer, assets, locale, url) =>
      renderer.renderReceipt(
        pageOf(session('paid', final), locale, url),
        {
          url,
          paidAt: '2026-03-14T09:31:02.000Z',
          signedUrl: '/checkout/cs_x/receipt',
          details: 'Fern & Fog GmbH\nHauptstr. 1, 10827 Berlin\nVAT DE123456789',
        },
        assets,
      ),
  },
  ...(['link_disabled', 'not_found', 'busy', 'unavailable'] as const).map(
    (kind): State => ({
      name: kind.replace('_', '-'),
      draw: (renderer, assets, locale, address) =>
        renderer.renderNotice(
          {
            kind,
            locale,
            path: '/checkout/cs_x',
            ...(kind === 'link_disabled' && { merchant: created.merchant, address }),
            requestId: kind === 'unavailable' ? 'req_4fzqzXm2V9pQ7rT1' : null,
          },
          assets,
        ),
    }),
  ),
];
