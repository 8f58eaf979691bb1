import type { Network } from '@quittance/contract';

/** An order of the demo shop, and the state of its payment. */
export interface DemoOrder {
  description: string;
  amount: string;
  currency?: 'USD' | 'EUR' | 'AED';
  asset: string;
  network: Network;
  isRouted: boolean;
  become:
    | 'created'
    | 'pending'
    | 'routing'
    | 'settling'
    | 'paid'
    | 'overpaid'
    | 'underpaid'
    | 'late'
    | 'failed'
    | 'expired'
    | 'refund_required'
    | 'refunded';
  hoursAgo?: number;
  customer?: { email?: string; name: string; reference?: string };
  /** The customer sent the money a second time. */
  isPaidTwice?: boolean;
}

const KIM = { email: 'kim.reyes@example.com', name: 'Kim Reyes', reference: 'C-1042' };
const AMAL = { email: 'amal@example.org', name: 'أمل حداد' };
const OFFICE = { email: 'office@nordlicht.example', name: 'Nordlicht Studio GmbH', reference: 'C-1007' };
const SAM = { name: 'Sam Okafor', reference: 'C-1063' };

const direct = (
  description: string,
  amount: string,
  become: DemoOrder['become'],
  more: Partial<DemoOrder> = {},
): DemoOrder => ({ description, amount, become, asset: 'USDC', network: 'base', isRouted: false, ...more });
const onSolana = (
  description: string,
  amount: string,
  become: DemoOrder['become'],
  more: Partial<DemoOrder> = {},
): DemoOrder => direct(description, amount, become, { network: 'solana', ...more });
const routed = (
  description: string,
  amount: string,
  become: DemoOrder['become'],
  more: Pick<DemoOrder, 'asset' | 'network'> & Partial<DemoOrder>,
): DemoOrder => ({ description, amount, become, isRouted: true, ...more });

/** Oldest first. */
export const DEMO_ORDERS: readonly DemoOrder[] = [
  direct('Two maidenhair ferns', '49.00', 'paid', { hoursAgo: 690, customer: KIM }),
  routed('Terrarium, large', '220.00', 'paid', { asset: 'BTC', network: 'bitcoin', hoursAgo: 664, customer: OFFICE }),
  direct('Fern care workshop', '35.00', 'paid', { hoursAgo: 640 }),
  direct('Moss wall panel', '180.00', 'expired', { hoursAgo: 622 }),
  onSolana('Gift card', '50.00', 'paid', { hoursAgo: 598, customer: KIM }),
  routed('Watering can, copper', '64.00', 'paid', { asset: 'ETH', network: 'ethereum', hoursAgo: 571 }),
  direct('Maidenhair fern', '24.00', 'refunded', { hoursAgo: 548, customer: SAM }),
  direct('Planter set', '112.50', 'paid', { hoursAgo: 520, customer: SAM }),
  routed('Moss wall panel', '180.00', 'paid', { asset: 'USDT', network: 'tron', hoursAgo: 493 }),
  direct('Seeds, assorted', '18.00', 'failed', { hoursAgo: 470 }),
  direct('Bird’s nest fern', '31.00', 'overpaid', { hoursAgo: 446 }),
  routed('Mister bottle', '12.00', 'failed', { asset: 'POL', network: 'polygon', hoursAgo: 425 }),
  onSolana('Two staghorn ferns', '96.00', 'paid', { hoursAgo: 399, customer: AMAL }),
  direct('Terrarium, small', '75.00', 'paid', { hoursAgo: 372 }),
  direct('Office greening, first visit', '260.00', 'paid', { hoursAgo: 349, customer: OFFICE }),
  routed('Humidity meter', '27.00', 'paid', { asset: 'SOL', network: 'solana', hoursAgo: 318 }),
  direct('Postkarten', '12.00', 'paid', { currency: 'EUR', hoursAgo: 290, customer: OFFICE }),
  direct('Maidenhair fern', '24.00', 'late', { hoursAgo: 262 }),
  routed('Terrarium, large', '220.00', 'paid', { asset: 'BNB', network: 'bnb', hoursAgo: 234 }),
  direct('Planter set', '112.50', 'paid', { hoursAgo: 206, isPaidTwice: true }),
  direct('Fern care workshop', '35.00', 'expired', { hoursAgo: 181 }),
  routed('Moss wall panel', '180.00', 'refund_required', { asset: 'AVAX', network: 'avalanche', hoursAgo: 160 }),
  direct('Office greening, second visit', '310.00', 'paid', { hoursAgo: 138, customer: OFFICE }),
  onSolana('Gift card', '100.00', 'paid', { hoursAgo: 112 }),
  direct('Farn-Workshop', '45.00', 'refunded', { currency: 'EUR', hoursAgo: 90 }),
  direct('Desert fern, boxed', '310.00', 'paid', { currency: 'AED', hoursAgo: 66, customer: AMAL }),
  routed('Grow light', '89.00', 'paid', { asset: 'ETH', network: 'arbitrum', hoursAgo: 45 }),
  direct('Bird’s nest fern', '31.00', 'refund_required', { hoursAgo: 26, customer: KIM }),
  direct('Two maidenhair ferns', '49.00', 'paid', { hoursAgo: 9, customer: KIM }),
  routed('Watering can, copper', '64.00', 'settling', { asset: 'TRX', network: 'tron' }),
  routed('Terrarium, small', '75.00', 'routing', { asset: 'BTC', network: 'bitcoin' }),
  direct('Seeds, assorted', '18.00', 'underpaid'),
  direct('Maidenhair fern', '24.00', 'pending'),
  direct('Planter set', '112.50', 'paid'),
  direct('Mister bottle', '12.00', 'created'),
];
