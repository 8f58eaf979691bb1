import type { AssetSymbol, ReceiveNetwork, RefundFailure, RefundJson } from '@quittance/contract';
import { DAY_MS } from '../../platform/time.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';

/** What the merchant sends from their own wallet by one transfer: a refund, or a payout. */
export interface Outgoing {
  id: string;
  accountId: string;
  livemode: boolean;
  status: string;
  amountUnits: bigint;
  asset: AssetSymbol;
  network: ReceiveNetwork;
  toAddress: string | null;
  txHash: string | null;
  /** Other transactions that were named for it and that may have sent it as well. */
  otherHashes: string[];
  /** The transfer of the transaction that was verified. */
  transferIndex: number | null;
  verified: boolean;
  mismatch: Mismatch | null;
  failureReason: RefundFailure | null;
  sentAt: Date | null;
  /** When it is looked at next. */
  dueAt: Date | null;
  /** How often the chain was asked about this transaction. */
  looks: number;
  createdAt: Date;
  wallet: WalletHold | null;
}

/** What is said of one that no one has sent yet. */
export const unsent = () => ({
  txHash: null,
  otherHashes: [],
  transferIndex: null,
  verified: false,
  mismatch: null,
  failureReason: null,
  sentAt: null,
  looks: 0,
  wallet: null,
});

/** What a transaction moves to the recipient instead; nulls if it moves nothing there. */
export type Mismatch = { asset: AssetSymbol; amountUnits: bigint; to: string } | { asset: null };

/** The wallet that was asked for it last. What it has been asked for it may send at any time after. */
export interface WalletHold {
  /** The browser that asked it, by a name that it has made up. */
  holder: string;
  address: string;
  /** Until when other browsers leave it to this one. */
  until: Date;
}

/** A transaction that no provider knows for this long will not be mined. */
const UNKNOWN_FOR_MS = 3 * DAY_MS;

export function isTooOldToArrive({ sentAt }: Pick<Outgoing, 'sentAt'>, now: Date): boolean {
  return sentAt !== null && now.getTime() - sentAt.getTime() >= UNKNOWN_FOR_MS;
}

/** Its transaction moved something else, and no other that was named for it may still move the money. */
export function isDisproved(one: Pick<Outgoing, 'mismatch' | 'otherHashes' | 'sentAt'>, now: Date): boolean {
  return one.mismatch !== null && (one.otherHashes.length === 0 || isTooOldToArrive(one, now));
}

/** How both are stored. JSON contains amounts and times as text. */
export interface OutgoingJsonColumns {
  mismatch: { asset: AssetSymbol | null; amount_units?: string; to?: string } | null;
  wallet: (Omit<WalletHold, 'until'> & { until: string }) | null;
}

export function fromColumns({ mismatch, wallet }: OutgoingJsonColumns): Pick<Outgoing, 'mismatch' | 'wallet'> {
  return {
    wallet: wallet && { ...wallet, until: new Date(wallet.until) },
    mismatch:
      mismatch && mismatch.asset !== null
        ? { asset: mismatch.asset, amountUnits: BigInt(mismatch.amount_units ?? 0), to: mismatch.to ?? '' }
        : mismatch && { asset: null },
  };
}

export function toColumns({ mismatch, wallet }: Pick<Outgoing, 'mismatch' | 'wallet'>) {
  const stored: OutgoingJsonColumns['mismatch'] =
    mismatch &&
    (mismatch.asset === null
      ? { asset: null }
      : { asset: mismatch.asset, amount_units: mismatch.amountUnits.toString(), to: mismatch.to });
  return { mismatch: stored && JSON.stringify(stored), wallet: wallet && JSON.stringify(wallet) };
}

export function presentMismatch({ mismatch, network }: Pick<Outgoing, 'mismatch' | 'network'>): RefundJson['mismatch'] {
  if (mismatch?.asset == null) return mismatch && { asset: null, coin_amount: null, to: null };
  const { asset, amountUnits, to } = mismatch;
  return { asset, coin_amount: presentUnits(amountUnits, asset, network), to };
}
