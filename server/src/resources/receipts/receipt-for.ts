import { RECEIPT_TYPE, type ReceiptClaimsJson, type ReceiptJson } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { invariant } from '../../platform/errors.ts';
import type { Account } from '../../platform/caller.ts';
import { canonicalJson } from '../../platform/canonical-json.ts';
import { newId } from '../../platform/ids.ts';
import { sha256 } from '../../platform/secrets.ts';
import { signJws, jwksPath } from '../../platform/signing/jws.ts';
import { currentSigningKey } from '../../platform/signing/signing-keys.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { findPayment } from '../../settlement/records/payment-store.ts';
import { findTargetsById } from '../../settlement/records/target-store.ts';
import { findTransfersOf } from '../../settlement/records/transfer-store.ts';
import { findReturned } from '../refunds/store.ts';
import { factsOf, forX402, type ReceiptFacts } from './facts.ts';
import { findNewestReceipt, insertReceipt, type StoredReceipt } from './store.ts';

type PaymentName = Pick<Payment, 'id' | 'accountId' | 'livemode'>;
type Needs = Pick<Context, 'db' | 'config' | 'secrets' | 'log'>;

// Each failure means that another request stored a newer receipt meanwhile.
const MAX_TRIES = 5;

/**
 * The signed receipt of a payment: the newest one if it still states the facts, otherwise a new one that names its
 * predecessor. Undefined while no final money counts for the payment. Not inside a transaction.
 */
export async function receiptFor(
  ctx: Needs,
  { id, accountId, livemode }: PaymentName,
): Promise<ReceiptJson | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    // Read before the facts: a receipt that is stored later makes the insert fail, so older facts never replace newer
    // ones.
    const newest = await findNewestReceipt(ctx.db, id);
    const facts = await readFacts(ctx, { id: accountId, livemode }, id);
    if (!facts) return undefined;
    if (newest?.factsHash.equals(hashOf(facts))) return present(newest);

    const receipt = await signReceipt(ctx, { id: accountId, livemode }, facts, newest);
    if (await insertReceipt(ctx.db, receipt)) return present(receipt);
  }
  invariant(false, 'a payment does not change with every request');
}

/** Whether a receipt exists or can be issued. It signs nothing, so it works without the key. */
export async function hasReceipt(ctx: Needs, { id, accountId, livemode }: PaymentName): Promise<boolean> {
  return (await readFacts(ctx, { id: accountId, livemode }, id)) !== undefined;
}

async function readFacts(ctx: Needs, account: Account, paymentId: string): Promise<ReceiptFacts | undefined> {
  let payment = await findPayment(ctx.db, account, paymentId);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (!payment) return undefined;
    const transfers = await findTransfersOf(ctx.db, [paymentId]);
    // Not all of the payment: a customer chooses as often as they like, and a receipt is read by anyone.
    const [targets, returned] = await Promise.all([
      findTargetsById(
        ctx.db,
        transfers.flatMap(({ targetId }) => targetId ?? []),
      ),
      findReturned(ctx.db, paymentId),
    ]);
    const after = await findPayment(ctx.db, account, paymentId);
    const [facts, factsAfter] = [payment, after].map(
      (one) => one && factsOf(ctx, one, transfers, { targets, returned }),
    );
    // The payment and its transfers change together, so facts that are the same before and after belong to one state.
    if (canonicalJson(facts ?? null) === canonicalJson(factsAfter ?? null)) return facts;
    payment = after;
  }
  invariant(false, 'a payment does not change with every request');
}

async function signReceipt(
  ctx: Needs,
  account: Account,
  facts: ReceiptFacts,
  before: StoredReceipt | undefined,
): Promise<StoredReceipt> {
  // A statement is signed at real time, in test mode too.
  const issuedAt = await ctx.db.now();
  const iat = Math.floor(issuedAt.getTime() / 1000);
  const claims: ReceiptClaimsJson = {
    ...facts,
    ...forX402(facts, iat),
    jti: newId('rct'),
    iat,
    jwks_url: `${ctx.config.publicUrl}${jwksPath(account)}`,
    supersedes: before?.id ?? null,
  };
  return {
    id: claims.jti,
    paymentId: facts.payment,
    number: (before?.number ?? 0) + 1,
    factsHash: hashOf(facts),
    jws: signJws(await currentSigningKey(ctx, account), RECEIPT_TYPE, claims),
    issuedAt,
  };
}

function hashOf(facts: ReceiptFacts): Buffer {
  return sha256(canonicalJson(facts));
}

function present(receipt: StoredReceipt): ReceiptJson {
  const [, payload = ''] = receipt.jws.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as ReceiptClaimsJson;
  return {
    id: receipt.id,
    object: 'receipt',
    livemode: claims.livemode,
    payment: receipt.paymentId,
    supersedes: claims.supersedes,
    jws: receipt.jws,
    claims,
    issued_at: receipt.issuedAt.toISOString(),
  };
}
