import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { UNREACHABLE_MIN_MS, type Verdict } from '../../outside/chains/chain.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { HOUR_MS, later } from '../../platform/time.ts';

import {
  keepSingleProvider,
  lockSingleProvider,
  pruneSingleProvider,
  sumSingleProvider,
} from './single-provider-store.ts';

/** From this value on, one of two providers is never enough. */
export const SINGLE_PROVIDER_LIMIT_USD_MINOR = 1_000_00n;

type ConfirmedVerdict = Extract<Verdict, { type: 'stands' }>;
/** A verdict that no provider gave while another one failed. */
export type AgreedVerdict = ConfirmedVerdict & { alone: null };

/** The evidence of a transfer that was settled while only one of two providers was reachable. */
export interface SingleProviderEvidence {
  provider: string;
  /** Since when every call to the other provider has failed, by its name. */
  unreachable: Record<string, string>;
  usd: string;
  /** The total settled that way on the network within the hour, including this transfer. */
  hourTotalUsd: string;
}

/** A transfer that would be settled by one provider alone. */
export interface SingleProviderSettlement {
  network: ReceiveNetwork;
  transferId: string;
  worthUsdMinor: bigint;
  verdict: ConfirmedVerdict;
  now: Date;
}

/** Only such a verdict may give a transfer another block or another time, see `byQuorum`. */
export function isAgreed(verdict: ConfirmedVerdict): verdict is AgreedVerdict {
  return verdict.alone === null;
}

/** Who alone gave an answer, and who gave none, or none that is plausible. */
export function describeAlone({ providers, alone }: ConfirmedVerdict): string {
  const others = alone?.unreachable.map(({ provider }) => provider) ?? [];
  return `only ${providers.join(', ')} gave a usable answer, and ${others.join(', ')} did not`;
}

/** Whether the unreachable providers have been unreachable for long enough. */
export function isAloneForLong({ alone }: ConfirmedVerdict): boolean {
  return alone === null || alone.unreachable.every(({ forMs }) => forMs >= UNREACHABLE_MIN_MS);
}

/**
 * Deducts a transfer's value from the hourly cap for single-provider settlements on a network; undefined if the cap is
 * reached. Must run in the settling transaction, before it locks the payment: it locks a row per network until that
 * transaction ends. A transfer that was already deducted counts once.
 */
export async function reserveSingleProvider(
  ctx: Pick<Context, 'config'>,
  db: Transaction,
  { network, transferId, worthUsdMinor, verdict, now }: SingleProviderSettlement,
): Promise<SingleProviderEvidence | undefined> {
  const capUsdMinor = BigInt(ctx.config.singleProviderUsdPerHour) * 100n;
  if (capUsdMinor === 0n) return undefined;
  const windowStart = later(now, -HOUR_MS);
  await lockSingleProvider(db, network, now);
  await pruneSingleProvider(db, network, windowStart);
  const others = await sumSingleProvider(db, network, transferId);
  const totalUsdMinor = others + worthUsdMinor;
  if (totalUsdMinor > capUsdMinor) return undefined;

  await keepSingleProvider(db, { transferId, network, worthUsdMinor, now });
  return {
    provider: verdict.providers.join(', '),
    unreachable: Object.fromEntries(
      (verdict.alone?.unreachable ?? []).map(({ provider, forMs }) => [provider, later(now, -forMs).toISOString()]),
    ),
    usd: formatDisplayAmount(worthUsdMinor),
    hourTotalUsd: formatDisplayAmount(totalUsdMinor),
  };
}

/** A sentence for the timeline, or an empty string if the evidence has no single-provider settlement. */
export function describeSingleProvider(evidence: unknown): string {
  const { provider, unreachable } = (evidence ?? {}) as Partial<SingleProviderEvidence>;
  if (!provider || !unreachable) return '';
  const others = Object.entries(unreachable).map(([name, since]) => `every call to ${name} had failed since ${since}`);
  return ` Only ${provider} was available: ${others.join(', ')}.`;
}
