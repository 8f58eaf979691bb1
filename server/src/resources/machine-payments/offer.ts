import type { AssetSymbol, ReceiveNetwork } from '@quittance/contract';
import type { MachineAsset } from '../../outside/chains/machine-networks.ts';
import type { TokenDomain } from '../../outside/chains/pure/authorization.ts';
import { later, SECOND_MS } from '../../platform/time.ts';

/** What a program must pay for one session: exactly the amount that the page shows. Every protocol is built from it. */
export interface Offer {
  accountId: string;
  sessionId: string;
  livemode: boolean;
  network: ReceiveNetwork;
  asset: AssetSymbol;
  decimals: number;
  amountUnits: bigint;
  /** What has arrived of the price, so that less is asked for. */
  seenUnits: bigint;
  /**
   * Whether no other payment has this amount. A transfer of an amount that is not reserved must identify the payment by
   * other means.
   */
  isReserved: boolean;
  /** The payout wallet. */
  payTo: string;
  /** In base58; a transfer on Solana carries it. */
  reference: string;
  description: string | null;
  /** What the payment pays for. */
  resourceUrl: string;
  /** The host of the public URL. */
  realm: string;
  machine: MachineAsset;
  /** The EIP-712 domain that payers sign; null if the token has no authorizations. */
  domain: TokenDomain | null;
  /** Set if a facilitator sends payments on this network. */
  facilitator: { feePayer: string | null } | null;
  /** Real time. `endsAt` has the same distance from it as the end has by the session's clock. */
  now: Date;
  /** When the amount or the session ends, whichever is first. */
  endsAt: Date;
}

/** How long a signature is valid. Short, so that a payment with an unknown outcome ends soon. */
export const SIGNATURE_SECONDS = 120;
/** A signature must end this long before the session does, so that money cannot arrive late. */
const MARGIN_MS = 60 * SECOND_MS;
const CHALLENGE_MS = 300 * SECOND_MS;

/** Whether there is time left for a payment by signature. */
export function canBeSigned({ facilitator, domain, machine, now, endsAt }: Offer): boolean {
  const isPossible =
    facilitator !== null && (machine.family === 'solana' ? facilitator.feePayer !== null : domain !== null);
  return isPossible && later(now, SIGNATURE_SECONDS * SECOND_MS) <= latestSignature({ endsAt });
}

/** The last instant at which a signed authorization may be valid. */
export function latestSignature({ endsAt }: Pick<Offer, 'endsAt'>): Date {
  return later(endsAt, -MARGIN_MS);
}

/** Until when a challenge can be answered; whole seconds. */
export function challengeEnd({ now, endsAt }: Offer, isSigned: boolean): Date {
  const latest = isSigned ? latestSignature({ endsAt }) : endsAt;
  const wanted = later(now, CHALLENGE_MS);
  const end = wanted < latest ? wanted : latest;
  return new Date(Math.floor(end.getTime() / SECOND_MS) * SECOND_MS);
}
