import { type Asset, NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { lockName, type Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { type Client, WIDER_ALLOWANCE } from '../../platform/http/admission/client.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { findAddressOwner, mayReserveAmounts } from '../../settlement/records/address-owner-store.ts';
import { preferredShare, tiersOf } from '../../settlement/records/exact-amounts.ts';
import type { AmountBudgetKeys, AmountPlace } from '../../settlement/records/reserved-amount-store.ts';
import { reserveUniqueAmount } from '../../settlement/records/reserve-unique-amount.ts';
import {
  type BudgetCounts,
  type BudgetLimits,
  type BudgetsOfMode,
  countReserved,
  findNextFree,
} from './amount-budget-store.ts';
import { clientShare } from '../../platform/client-share.ts';
import type { PublicView } from './public-session.ts';

/** Used if no reserved amount of the price has an end. */
const RETRY_AFTER_SECONDS = 60;

export interface AmountRequest {
  asset: Asset;
  required: bigint;
  amountMinor: bigint;
  purpose: 'target' | 'route_output';
  /** Null if the client has no budget: a test helper, or the developer's own machine. */
  client: Client | null;
}

export type Reservation =
  | { type: 'reserved'; amountUnits: bigint }
  /** A limit was reached. `refuse` throws the error for it. */
  | { type: 'refused'; refuse: () => never };

/** Reserves an exact amount for a payment within the budgets of its client, its link and its account. */
export async function reserveAmount(
  ctx: Pick<Context, 'config' | 'secrets'>,
  db: Transaction,
  { payment, now }: PublicView,
  { asset, required, amountMinor, purpose, client }: AmountRequest,
): Promise<Reservation> {
  const place: AmountPlace = {
    livemode: payment.livemode,
    network: asset.network,
    address: payment.receiveAddress,
    asset: asset.asset,
  };
  if (!(await mayReserveAmounts(db, place, payment.accountId))) return { type: 'refused', refuse: failUnproved };
  const isProved = (await findAddressOwner(db, place)) === payment.accountId;
  const budgets: AmountBudgetKeys = {
    client: client && hashOf(ctx, client.narrow),
    clientRange: client?.wide ? hashOf(ctx, client.wide) : null,
    paymentLinkId: payment.paymentLinkId,
    accountId: isProved ? null : payment.accountId,
  };
  const reached = await findReachedBudget(ctx, db, { livemode: payment.livemode, budgets }, now);
  const refused = (limit: Omit<Limit, 'asset'>): Reservation => ({
    type: 'refused',
    refuse: () => refuse({ ...limit, asset }),
  });
  if (reached) {
    const none = { client: null, clientRange: null, paymentLinkId: null, accountId: null };
    const budget = { ...none, [reached.key]: budgets[reached.key] };
    const freeAt = await findNextFree(db, payment.livemode, budget, now);
    return refused({ what: reached.what, freeAt, now });
  }

  const tiers = tiersOf(required, amountMinor, asset);
  const holder = { paymentId: payment.id, purpose, budgets };
  const wanted = { place, above: required, asset, tiers, preferred: preferredShare(payment.reference) };
  const amountUnits = await reserveUniqueAmount(db, wanted, holder, now);
  if (amountUnits !== undefined) return { type: 'reserved', amountUnits };
  return refused({ what: 'All exact amounts of this price are in use at this wallet.', freeAt: null, now });
}

/** Identifies a client in its budget without storing an address. */
function hashOf({ secrets }: Pick<Context, 'secrets'>, name: string): Buffer {
  return secrets.keyedHash(name, 'reserved amounts').subarray(0, 16);
}

/** The wallet shows the merchant the same: `proof` is `required` or `disputed`. */
function failUnproved(): never {
  return fail('invalid_route', {
    param: 'pay_asset',
    message:
      'This checkout cannot reserve an exact amount, because the merchant has not proved its payout ' +
      'wallet. Connect a wallet to pay, or ask the merchant to prove the wallet.',
  });
}

interface Limit {
  asset: Asset;
  what: string;
  freeAt: Date | null;
  now: Date;
}

/** The first budget that is used up. Requests of one budget run one after the other, so that counting is exact. */
async function findReachedBudget(
  { config }: Pick<Context, 'config'>,
  db: Transaction,
  { livemode, budgets }: BudgetsOfMode,
  now: Date,
): Promise<{ key: keyof AmountBudgetKeys; what: string } | undefined> {
  const { perClient, perLink, perUnprovedAccount } = config.reservedAmounts;
  const limits = {
    client: perClient,
    clientRange: perClient * WIDER_ALLOWANCE,
    paymentLinkId: perLink,
    accountId: perUnprovedAccount,
  };
  const keys = BUDGETS.filter((key) => budgets[key] !== null);
  for (const key of keys) await lockName(db, `reserved amounts ${key} ${livemode} ${budgets[key]?.toString('hex')}`);
  const counts = await countReserved(db, { livemode, budgets }, limits, now);
  const reached = keys.find((key) => counts[key] >= limits[key]);
  if (reached)
    return {
      key: reached,
      what: `${HOLDERS[reached]} ${limits[reached]} exact amounts reserved for checkouts that no one has paid, which is the limit.`,
    };
  return budgets.client === null ? undefined : findReachedShare(counts, limits);
}

/** In the order in which they are locked. */
const BUDGETS = ['client', 'clientRange', 'paymentLinkId', 'accountId'] as const;

const HOLDERS: Record<keyof AmountBudgetKeys, string> = {
  client: 'This client address has',
  clientRange: 'The IPv6 range (/48) of this client has',
  paymentLinkId: 'This payment link has',
  accountId: 'This merchant, who has not proved to own the wallet, has',
};

/** The share of a common budget that the client, or its range, has used up. */
function findReachedShare(
  counts: BudgetCounts,
  limits: BudgetLimits,
): { key: 'client' | 'clientRange'; what: string } | undefined {
  const shares = (['client', 'clientRange'] as const).flatMap((key) => [
    {
      key,
      whose: 'this payment link',
      own: counts.ofLink[key],
      used: counts.paymentLinkId,
      limit: limits.paymentLinkId,
    },
    { key, whose: 'this merchant', own: counts.ofAccount[key], used: counts.accountId, limit: limits.accountId },
  ]);
  const reached = shares.find(({ key, own, used, limit }) => own > 0 && own >= clientShare(limits[key], used, limit));
  return (
    reached && {
      key: reached.key,
      what:
        `${HOLDERS[reached.key]} ${reached.own} exact amounts of ${reached.whose} reserved for checkouts ` +
        `that no one has paid, which is the limit while ${reached.used} of ${reached.limit} are in use.`,
    }
  );
}

function refuse({ asset, what, freeAt, now }: Limit): never {
  const wait = freeAt ? Math.ceil((freeAt.getTime() - now.getTime()) / SECOND_MS) : RETRY_AFTER_SECONDS;
  const when = freeAt ? ` The next one is free at ${freeAt.toISOString()}.` : '';
  const { name, family } = NETWORKS[asset.network];
  const connect =
    family === 'tron' ? 'Choose' : `Connect a wallet on ${name} (send \`sender\`) to pay without one, choose`;
  return fail('rate_limited', {
    param: 'pay_asset',
    message: `${what}${when} ${connect} a coin of another network, or try again after \`Retry-After\` seconds.`,
    retryAfterSeconds: Math.max(1, wait),
  });
}
