/** What the checkout page shows, on the server and in the browser: the public session and what the visitor is doing. */
export interface CheckoutPage {
  session: PublicSession;
  locale: string;
  /** `choose` where the visitor asked for the list of assets although a payment has been started. */
  view: 'auto' | 'choose';
  /** The routed asset whose refund address is being asked for. */
  choice: { asset: string; network: string } | null;
  /** What the visitor typed, given back after an error. */
  refundAddress: string;
  error: string | null;
  /** The service could not be reached. */
  offline?: boolean;
  /** A transaction hash was handed in. */
  noticed?: boolean;
  /** Something changed the address on the page. */
  tampered?: boolean;
  /** Whether a script draws the page, so that what needs one is shown. */
  hasScript?: boolean;
  /** Where to go once it is paid, the placeholder filled in. */
  returnUrl: string | null;
  cancelUrl: string | null;
  /** The address of this page, for the phone hand-off and the receipt. */
  pageUrl: string;
}

/** As `GET /v1/public/checkout/sessions/{id}` answers it. */
export interface PublicSession {
  id: string;
  status: Status;
  amount: string;
  currency: string;
  description: string | null;
  line_items: { name: string; quantity: number; amount: string }[] | null;
  merchant: Merchant;
  livemode: boolean;
  expires_at: string | null;
  server_time: string;
  options: Option[];
  payment: PublicPayment | null;
}

export type Status =
  | 'created' | 'pending' | 'routing' | 'settling' | 'paid' | 'failed' | 'expired' | 'refund_required' | 'refunded';

export interface Merchant {
  name: string | null;
  logo_url: string | null;
  support_email: string | null;
  support_url: string | null;
}

export interface Option {
  asset: string;
  network: string;
  kind: 'direct' | 'routed';
  available: boolean;
}

export interface PublicPayment {
  asset: string;
  network: string;
  kind: 'direct' | 'routed';
  address: string;
  amount: string;
  amount_due: string;
  amount_seen: string;
  amount_received: string;
  uri: string | null;
  reference: string | null;
  tag: string | null;
  confirmations: number | null;
  confirmations_needed: number | null;
  tx_hashes: string[];
  failure_reason: string | null;
  quote_expires_at: string | null;
  refund_address?: string | null;
}

/** What the page is at: decides which stage is shown. */
export type Stage =
  | 'choose' | 'refund_address' | 'pay' | 'top_up' | 'confirming' | 'converting' | 'delivering'
  | 'paid' | 'failed' | 'expired' | 'refund_required' | 'refunded';

/** Which stage a page shows: by the session's status and what is in sight. */
export function stageOf(page: CheckoutPage): Stage {
  const { session } = page;
  switch (session.status) {
    case 'paid':
    case 'failed':
    case 'expired':
    case 'refund_required':
    case 'refunded':
      return session.status;
    case 'routing':
      return 'converting';
    case 'settling':
      return 'delivering';
    case 'created':
    case 'pending':
      break;
  }
  const payment = session.payment;
  const somethingSent = payment !== null && isPositive(payment.amount_seen);
  if (page.choice && !somethingSent) return 'refund_address';
  if (payment === null || (page.view === 'choose' && !somethingSent)) return 'choose';
  if (!somethingSent) return 'pay';
  return isPositive(payment.amount_due) ? 'top_up' : 'confirming';
}

/** Whether a decimal string is above zero, without making a float of it. */
export function isPositive(amount: string): boolean {
  return /[1-9]/.test(amount);
}
