import { expect, test } from 'vitest';
import { paymentWith } from '../../../test/support/payment-with.ts';
import { readConfig } from '../../config.ts';
import type { Payment } from './payment.ts';
import { presentEventData, presentPayment } from './present-payment.ts';

const ctx = { config: readConfig({}) };
const at = new Date('2026-03-14T09:26:53.589Z');
const base = paymentWith({
  payNetwork: 'solana',
  receiveNetwork: 'solana',
  receiveAddress: 'wallet',
  reference: Buffer.alloc(32, 1),
  createdAt: at,
  expiresAt: at,
});

test('a payment is presented with every field of the contract', () => {
  expect(presentPayment(ctx, base)).toEqual({
    id: 'pay_1',
    object: 'payment',
    livemode: true,
    status: 'created',
    sequence: 1,
    route: 'direct',
    amount: '49.00',
    currency: 'USD',
    pay_asset: 'USDC',
    pay_network: 'solana',
    order_id: null,
    metadata: {},
    customer: null,
    description: null,
    payout_wallet_id: 'pp_1',
    payment_link_id: null,
    receive_asset: 'USDC',
    receive_network: 'solana',
    receive_address: 'wallet',
    session: 'cs_1',
    reference: '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi',
    expected_output: null,
    actual_output: null,
    net_settlement: '49.00',
    service_fee: '0.00',
    tx_hashes: [],
    failure_reason: null,
    refund: null,
    received_amount: null,
    surplus: '0.00',
    refunded_amount: '0.00',
    refunds: [],
    settlement_alert: null,
    network_caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    asset_caip19: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    receive_address_caip10: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:wallet',
    created_at: '2026-03-14T09:26:53.589Z',
  });
});

test('outputs have all decimals of the payout asset, and net and fee add up', () => {
  const payment: Payment = {
    ...base,
    route: 'routed',
    receiveAsset: 'ETH',
    receiveNetwork: 'ethereum',
    serviceFeeMinor: 74n,
    expectedOutputUnits: 1n,
    actualOutputUnits: 19_304_000_000_000_000n,
  };
  expect(presentPayment(ctx, payment)).toMatchObject({
    service_fee: '0.74',
    net_settlement: '48.26',
    expected_output: '0.000000000000000001',
    actual_output: '0.019304000000000000',
  });
});

test.each([
  // status, fields known beside the hashes, whether the hashes are shown
  ['created', {}, false],
  ['pending', {}, false],
  ['routing', {}, false],
  ['settling', {}, false],
  ['expired', {}, false],
  ['failed', { failureReason: 'route_failed' }, false],
  ['paid', { paidAt: at }, true],
  ['refund_required', { failureReason: 'underpaid' }, true],
  ['refunded', { paidAt: at }, true],
  ['refunded', { failureReason: 'paid_late' }, true],
  ['refunded', {}, false],
] as const)('a %s payment with %j shows its transactions: %s', (status, known, shown) => {
  const payment: Payment = { ...base, status, ...known, txHash: '0xb', txHashes: ['0xa', '0xb'] };
  expect(presentPayment(ctx, payment).tx_hashes).toEqual(shown ? ['0xa', '0xb'] : []);
  expect(presentEventData(ctx, payment).tx_hash).toBe(shown ? '0xb' : null);
});

test('if no transfer completed the payment, the event has the hash of the last one', () => {
  expect(
    presentEventData(ctx, { ...base, status: 'refund_required', failureReason: 'underpaid', txHashes: ['0xa', '0xc'] })
      .tx_hash,
  ).toBe('0xc');
});
