import type { PaymentStatus, PublicPaymentJson, PublicSessionJson } from '@quittance/contract';
import type { MessageKey, Translate } from './i18n/messages.ts';
import { isPositive } from './money.ts';

/** The data of the checkout page, on the server and in the browser: the public session and the visitor's state. */
export interface CheckoutPage {
  session: PublicSession;
  locale: string;
  /** `choose` if the visitor opened the list of assets although a payment was started. */
  view: 'auto' | 'choose';
  /** The customer said that they pay from an exchange: wallets are in their way. */
  exchange?: boolean;
  /** The routed asset that needs a refund address, and what it costs now with its conversion, once that is known. */
  choice: { asset: string; network: string; price?: string | null } | null;
  /** About what the price is in the visitor's currency: a text to read, while a rate is known. */
  estimate?: string | null;
  /** The visitor's input: shown again after an error, and in a browser the hash that was submitted. */
  typed: string;
  error: Refusal | null;
  /** The merchant's own number of the order. */
  orderId?: string | null;
  /** The newest refund that has not arrived yet, in the coin that it is sent in. */
  refund?: { amount: string; asset: string; sent: boolean };
  /** Those that have arrived, oldest first. */
  refunds?: { at: string; amount: string; asset: string; network: string; txHash: string | null }[];
  /** A transaction hash was submitted. */
  noticed: boolean;
  links: PageLinks;
  /** The address of the merchant's logo on this service, so that no other host learns of the visit. */
  logo: string | null;
  /** The origins that may frame the page and get the payment's status. */
  frameParents: string[];
  /** A signature is enough to pay in the payout asset: another account sends the transfer and pays the network fee. */
  gasless?: boolean;
  /** The relay to wallets on other devices (WalletConnect), if the operator has set one. */
  walletConnect?: { projectId: string; relayUrl: string };

  // From here on only a script knows.
  /** The service could not be reached. */
  offline?: boolean;
  /** Something changed the address on the page. */
  tampered?: boolean;
  /** Names and icons of wallets in this browser. */
  wallets?: WalletName[];
  /** The wallet's progress. */
  wallet?: WalletStep | null;
  /** The progress of a signature for a claim, which moves no money: what a wallet has sent stays in sight beside it. */
  claim?: WalletStep | null;
  /** The time has run out since the service's last answer. */
  timeUp?: boolean;
  /** The end of the amount that could not be renewed: it is not asked for any more. */
  staleQuote?: string | null;
  /** The amount was renewed and is noticeably different. */
  repriced?: boolean;
}

/** The properties of each part of the page. */
export interface PageProps {
  page: CheckoutPage;
  t: Translate;
}

export interface PageLinks {
  /** The address of this page, for the phone. */
  page: string;
  /** The Solana Pay transaction request of a checkout that is paid on Solana. */
  solanaPay?: string | null;
  /** The merchant's page after the payment, with the placeholder filled in. */
  success: string | null;
  cancel: string | null;
  /** The payment link of the session, which opens another one. */
  restart: string | null;
  /** The checkout in which the customer went on with the same order after this one had ended. */
  retry?: string | null;
  /** Whether the order was paid there. */
  isRetryPaid?: boolean;
}

/** An error of the service. */
export interface Refusal {
  code: string;
  param: string | null;
}

export interface WalletName {
  id: string;
  name: string;
  /** A `data:` icon, if the wallet has one. */
  icon: string | null;
  family: 'evm' | 'solana';
}

export type WalletStep =
  | { step: 'connecting' | 'network' | 'checking' | 'confirm' | 'signing' | 'sending'; wallet: string }
  /** Waits until a wallet on another device has scanned this. */
  | { step: 'scan'; wallet: string; uri: string }
  /** `signed`: sent by the service, with the customer's signature. */
  | { step: 'sent'; hash: string | null; signed?: boolean }
  | ({ step: 'failed' } & WalletProblem);

/** What such a wallet was asked to send may have been sent. */
export function isUnknown(wallet: CheckoutPage['wallet']): boolean {
  return wallet?.step === 'failed' && wallet.key === 'wallet_unknown';
}

const TOO_LATE = new Set<string>(['confirm', 'signing', 'sending', 'sent']);

/** Whether a wallet shows what it is asked to send, or has sent it. Before these steps, a change stops the payment. */
export function isTooLate({ wallet }: CheckoutPage): boolean {
  return TOO_LATE.has(wallet?.step ?? '');
}

/** Why a wallet did not pay, as a message with its parameters. */
export interface WalletProblem {
  key: MessageKey<keyof WalletProblem['values']>;
  values: Record<'network' | 'coin' | 'asset' | 'balance' | 'amount', string>;
}

/** As `GET /v1/public/checkout/sessions/{id}` answers it. */
export type PublicSession = PublicSessionJson;
export type Merchant = PublicSession['merchant'];
export type Option = PublicSession['options'][number];
export type PublicPayment = PublicPaymentJson;

/** A coin on a network, as the session offers it. */
export function optionOf(
  { options }: PublicSession,
  wanted: { asset: string; network: string } | null,
): Option | undefined {
  return options.find(({ asset, network }) => asset === wanted?.asset && network === wanted.network);
}

/** The stage that the page shows. */
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

/** Whether the customer still has something to choose, to enter or to send. */
export function isOpenStage(stage: Stage): boolean {
  return stage === 'choose' || stage === 'refund_address' || stage === 'pay' || stage === 'top_up';
}

/** Whether what was sent may not be seen yet: until then it is not forgotten, also once the time is up. */
export function isUnseen(stage: Stage): boolean {
  return isOpenStage(stage) || stage === 'closing' || stage === 'expired';
}

/** The statuses after which nothing more happens by itself. */
export type EndStatus = Stage & PaymentStatus;

/** The stage of a page, from the session's status and the detected money. */
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

/** Nothing may be sent any more, although an earlier transfer may still arrive. */
function isOver({ session, timeUp }: CheckoutPage): boolean {
  return (
    timeUp === true ||
    (session.expires_at !== null && Date.parse(session.expires_at) <= Date.parse(session.server_time))
  );
}
