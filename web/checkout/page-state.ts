import type { MessageKey, Translate } from './i18n/messages.ts';
import { isPositive } from './money.ts';

/** What the checkout page shows, on the server and in the browser: the public session and what the visitor is doing. */
export interface CheckoutPage {
  session: PublicSession;
  locale: string;
  /** `choose` where the visitor asked for the list of assets although a payment has been started. */
  view: 'auto' | 'choose';
  /** The routed asset whose refund address is being asked for. */
  choice: { asset: string; network: string } | null;
  /** What the visitor typed, given back after an error. */
  typed: string;
  error: Refusal | null;
  /** A transaction hash was handed in. */
  noticed: boolean;
  links: PageLinks;
  /** Where the merchant's logo is fetched: from us, so that nobody else learns of the visit. */
  logo: string | null;
  /** Who may frame the page and be told how the payment stands. */
  frameParents: string[];
  /** A signature is enough to pay in the payout asset: someone else sends the transfer and pays the network fee. */
  gasless?: boolean;

  // From here on only a script knows.
  /** The service could not be reached. */
  offline?: boolean;
  /** Something changed the address on the page. */
  tampered?: boolean;
  /** What other wallets in this browser are called, and how they look. */
  wallets?: WalletName[];
  /** A wallet is at work, or has sent. */
  wallet?: WalletStep | null;
  /** The clock has run out since the service last spoke. */
  timeUp?: boolean;
  /** The amount was renewed and is noticeably another one. */
  repriced?: boolean;
}

/** What each part of the page is made from. */
export interface PageProps {
  page: CheckoutPage;
  t: Translate;
}

export interface PageLinks {
  /** The address of this page, for the phone. */
  page: string;
  /** The Solana Pay transaction request of a checkout that is paid on Solana. */
  solanaPay?: string | null;
  /** Where to go once it is paid, the placeholder filled in. */
  success: string | null;
  cancel: string | null;
  /** The payment link that the session came from: it opens another. */
  restart: string | null;
}

/** Why the service did not do what was asked. */
export interface Refusal {
  code: string;
  param: string | null;
}

export interface WalletName {
  id: string;
  name: string;
  /** A picture as a `data:` address, where the wallet has one. */
  icon: string | null;
  family: 'evm' | 'solana';
}

export type WalletStep =
  | { step: 'connecting' | 'network' | 'checking' | 'confirm' | 'signing' | 'sending'; wallet: string }
  /** `signed`: by the service, with the customer's signature. */
  | { step: 'sent'; hash: string | null; signed?: boolean }
  | { step: 'failed'; key: MessageKey; values: Record<string, string> };

/** As `GET /v1/public/checkout/sessions/{id}` answers it. */
export interface PublicSession {
  id: string;
  status: Status;
  amount: string;
  currency: string;
  description: string | null;
  line_items: { name: string; quantity: number; amount: string; unit_amount?: string }[] | null;
  merchant: Merchant;
  livemode: boolean;
  expires_at: string | null;
  server_time: string;
  options: Option[];
  payment: PublicPayment | null;
}

export type Status =
  | 'created'
  | 'pending'
  | 'routing'
  | 'settling'
  | 'paid'
  | 'failed'
  | 'expired'
  | 'refund_required'
  | 'refunded';

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
  /** About what would have to be sent; null while no price is known. */
  estimated_amount?: string | null;
  /** How long it usually takes from sending to paid. */
  typical_seconds?: number | null;
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
  /** Whether the amount is the payment's own, or only the reference tells it from others; null where it is converted. */
  identified_by: 'amount' | 'reference' | null;
  confirmations: number | null;
  confirmations_needed: number | null;
  tx_hashes: string[];
  failure_reason: string | null;
  quote_expires_at: string | null;
  refund_address: string | null;
  /** Who converts it; null where nothing is converted. */
  provider: string | null;
  /** What the provider calls the conversion. */
  provider_order?: string | null;
  /** How much more than the output the amount is worth, in percent; null where the price is usual. */
  price_warning_pct: number | null;
  /** What arrived for it and does not count. */
  other_transfers: { asset: string; network: string; amount: string; tx_hash: string; reason: string }[];
}

/** What the page is at: decides which stage is shown. */
export type Stage =
  | 'choose'
  | 'refund_address'
  | 'pay'
  | 'top_up'
  | 'closing'
  | 'confirming'
  | 'converting'
  | 'delivering'
  | 'paid'
  | 'failed'
  | 'expired'
  | 'refund_required'
  | 'refunded';

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
  const isWhole = somethingSent && !isPositive(payment.amount_due);
  if (isOver(page) && !isWhole) return 'closing';
  if (page.choice && !somethingSent) return 'refund_address';
  if (payment === null || (page.view === 'choose' && !somethingSent)) return 'choose';
  if (!somethingSent) return 'pay';
  return isWhole ? 'confirming' : 'top_up';
}

/** Nothing may be sent any more, although what was sent in time may still turn up. */
function isOver({ session, timeUp }: CheckoutPage): boolean {
  return (
    timeUp === true ||
    (session.expires_at !== null && Date.parse(session.expires_at) <= Date.parse(session.server_time))
  );
}
