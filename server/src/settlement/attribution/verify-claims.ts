import type { Context } from '../../context.ts';
import type { Job } from '../../job.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { failures } from '../../platform/metrics.ts';
import { later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { attributeClaimed } from './assign-transfer.ts';
import { claimText, isSignedBy } from './claim.ts';
import {
  deleteClaim,
  type DueClaim,
  findDebitedAccounts,
  leaseDueClaims,
  markVerified,
  postponeClaims,
  rescheduleClaim,
} from './claim-store.ts';

type ClaimContext = Pick<Context, 'db' | 'prices' | 'log' | 'config' | 'contractWallets'>;

// A contract wallet call takes at most five seconds, and a batch waits for its slowest.
const LEASE_MS = 1 * MINUTE_MS;
const CLAIMS_PER_BATCH = 20;
const CLAIMS_POSTPONED_AT_ONCE = 500;
// Providers that lag may not know the wallet or its owners yet, so one rejection is not conclusive.
const MAX_ATTEMPTS = 3;
const ATTEMPT_DELAY_MS = 30 * SECOND_MS;
const MIN_RETRY_DELAY_MS = 10 * SECOND_MS;
const MAX_RETRY_DELAY_MS = 5 * MINUTE_MS;

/** Matches claims with transfers that were read after them, and verifies signatures that only the chain can verify. */
export const claimsJob: Job = {
  name: 'claims',
  everyMs: 5 * SECOND_MS,
  async run(ctx) {
    const now = await ctx.db.now();
    const postponed = await postponeClaims(ctx.db, { now, limit: CLAIMS_POSTPONED_AT_ONCE });
    const due = await leaseDueClaims(ctx.db, { now, until: later(now, LEASE_MS), limit: CLAIMS_PER_BATCH });
    await processClaims(ctx, due, now);
    return postponed > 0 || due.length === CLAIMS_PER_BATCH ? 'more' : 'idle';
  },
};

/** Matches a newly stored claim with its transfer, if that has been read already. */
export async function processClaim(ctx: ClaimContext, id: bigint): Promise<void> {
  const now = await ctx.db.now();
  if ((await postponeClaims(ctx.db, { now, limit: 1, id })) > 0) return;
  await processClaims(ctx, await leaseDueClaims(ctx.db, { now, until: later(now, LEASE_MS), limit: 1, id }), now);
}

/** RPC calls run in parallel and outside of any transaction. Their results are written one by one. */
async function processClaims(ctx: ClaimContext, claims: readonly DueClaim[], now: Date): Promise<void> {
  const verdicts = await Promise.all(claims.map((claim) => findSigner(ctx, claim)));
  for (const [place, claim] of claims.entries()) {
    const verdict = verdicts[place] ?? { type: 'no_transfer' };
    try {
      await applyVerdict(ctx, claim, verdict, now);
    } catch (error) {
      failures.inc({ job: claimsJob.name });
      // The lease ends in a minute. The other claims of the batch do not wait for it.
      ctx.log.error(
        { err: error, paymentId: claim.paymentId, network: claim.network, txHash: claim.txHash },
        'claim processing failed: retrying',
      );
    }
  }
}

type Verdict = { type: 'signed'; signer: string } | { type: 'no_transfer' | 'not_signed' | 'not_confirmed' | 'busy' };

async function findSigner({ db, contractWallets }: ClaimContext, claim: DueClaim): Promise<Verdict> {
  const debited = await findDebitedAccounts(db, claim);
  const { network, signature, signer } = claim;
  const [only] = debited;
  if (only === undefined) return { type: 'no_transfer' };
  if (signature === null) return { type: 'signed', signer: signer ?? only };

  const message = claimText(claim);
  if (signer !== null && network !== 'solana' && network !== 'tron') {
    const signed = { network, address: signer, message, signature };
    try {
      return (await contractWallets.isSigned(signed, { for: 'claim' }))
        ? { type: 'signed', signer }
        : { type: 'not_confirmed' };
    } catch (error) {
      if (error instanceof TemporaryError) return { type: 'busy' };
      throw error;
    }
  }
  for (const address of debited)
    if (await isSignedBy(network, { message, address, signature })) return { type: 'signed', signer: address };
  return { type: 'not_signed' };
}

async function applyVerdict(ctx: ClaimContext, claim: DueClaim, verdict: Verdict, now: Date): Promise<void> {
  switch (verdict.type) {
    case 'signed':
      return applyClaim(ctx, claim, verdict.signer, now);
    case 'no_transfer':
    case 'busy':
      return rescheduleClaim(ctx.db, claim, { dueAt: later(now, retryDelayMs(claim, now)), attempts: claim.attempts });
    case 'not_confirmed': {
      const attempts = claim.attempts + 1;
      return attempts < MAX_ATTEMPTS
        ? rescheduleClaim(ctx.db, claim, { dueAt: later(now, ATTEMPT_DELAY_MS * 4 ** claim.attempts), attempts })
        : deleteClaim(ctx.db, claim.id);
    }
    case 'not_signed':
      return deleteClaim(ctx.db, claim.id);
  }
}

/** Grows with the claim's age, but a wallet that acts hours later must not wait long for one missed answer. */
function retryDelayMs({ createdAt }: DueClaim, now: Date): number {
  return Math.min(Math.max((now.getTime() - createdAt.getTime()) / 2, MIN_RETRY_DELAY_MS), MAX_RETRY_DELAY_MS);
}

async function applyClaim(ctx: ClaimContext, claim: DueClaim, signer: string, now: Date): Promise<void> {
  if (claim.signature !== null && !(await markVerified(ctx.db, claim, signer, now)))
    return deleteClaim(ctx.db, claim.id);
  const at = { created: later(now, claim.clockOffsetMs), recorded: now };
  await ctx.db.transaction((db) => attributeClaimed({ ctx, db, at }, { ...claim, signer }));
  await rescheduleClaim(ctx.db, claim, { dueAt: null, attempts: claim.attempts });
}
