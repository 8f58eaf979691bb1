import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { EventJson, EventType, PaymentStatus, RefundStatus, WebhookEventType } from '@quittance/contract';
import type { Context } from '../../../context.ts';
import { sandboxAddress } from '../../../outside/routers/sandbox/addresses.ts';
import type { Account, Caller } from '../../../platform/caller.ts';
import { ApiError, fail } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { HOUR_MS, later, SECOND_MS } from '../../../platform/time.ts';
import { NO_REFUNDS, type Payment } from '../../../settlement/records/payment.ts';
import { eventJson } from '../../../settlement/records/record-events.ts';
import { newRefund } from '../../refunds/create.ts';
import { presentRefund } from '../../refunds/present.ts';
import type { StoredRefund } from '../../refunds/refund.ts';
import { postSigned } from '../delivery/attempt.ts';
import { openKeys } from '../delivery/signature.ts';
import { findEndpoint } from './endpoint-store.ts';

const BURST = 60;
const REFILL_MS = 1 * SECOND_MS;
const MAX_ACCOUNTS = 10_000;

/**
 * A rejected and an unreachable address take at least this long to fail, so that the time does not reveal which it was.
 */
const MIN_FAILURE_MS = 250;

export interface TestResult {
  delivered: boolean;
  /** 0 without an HTTP response. */
  responseCode: number;
}

/**
 * Sends one sample event now, signed like any other for this endpoint, and marked as a sample. Nothing is recorded or
 * retried.
 */
export async function sendTest(
  ctx: Context,
  caller: Caller,
  endpointId: string,
  type: WebhookEventType,
): Promise<TestResult> {
  const endpoint = (await findEndpoint(ctx.db, caller, endpointId)) ?? fail('not_found', { param: 'endpoint_id' });
  takeTest(ctx, caller);
  const overlapping =
    endpoint.oldSecret && endpoint.oldSecretUntil && endpoint.oldSecretUntil > caller.realNow
      ? [endpoint.oldSecret]
      : [];
  const eventId = newId('evt');
  const sample: EventJson = { ...sampleEvent(ctx, caller, eventId, type), sample: true };

  const answer = await postSigned(
    ctx,
    {
      endpointId,
      url: endpoint.url,
      keys: [endpoint.secret, ...overlapping].map((secret) => openKeys(ctx, endpointId, secret)),
      isAsymmetric: endpoint.isAsymmetric,
      eventId,
      body: Buffer.from(JSON.stringify(sample)),
      account: caller,
    },
    caller.realNow,
  );
  if (answer.status !== null)
    return { delivered: answer.status >= 200 && answer.status < 300, responseCode: answer.status };

  await new Promise((resolve) => setTimeout(resolve, Math.max(0, MIN_FAILURE_MS - answer.durationMs)));
  return { delivered: false, responseCode: 0 };
}

function sampleEvent(ctx: Context, caller: Caller, id: string, type: WebhookEventType): EventJson {
  if (isPaymentEvent(type))
    return eventJson(ctx, { payment: samplePayment(caller, type), type, evidence: {} }, id, caller.now);
  const data = presentRefund(sampleRefund(samplePayment(caller, 'payment.paid'), type));
  return { id, type, created: caller.now.toISOString(), data };
}

function isPaymentEvent(type: WebhookEventType): type is EventType {
  return type.startsWith('payment.');
}

/** A sample refund of a fifth of a payment. */
function sampleRefund(payment: Payment, type: Exclude<WebhookEventType, EventType>): StoredRefund {
  const status = type === 'refund.created' ? 'planned' : (type.slice('refund.'.length) as RefundStatus);
  const to = sandboxAddress('base', 'sample customer');
  const planned = newRefund(payment, {
    minor: 980n,
    units: 9_800_000n,
    to,
    reason: 'Sample refund',
    at: payment.createdAt,
  });
  return {
    ...planned,
    status,
    sequence: status === 'planned' ? 1 : 2,
    txHash: status === 'planned' ? null : `0x${randomBytes(32).toString('hex')}`,
    failureReason: status === 'failed' ? 'transaction_reverted' : null,
  };
}

/** How many events a payment has when it reaches this status; two for all others. */
const SAMPLE_SEQUENCES: Partial<Record<PaymentStatus, number>> = { created: 1, paid: 3, refunded: 4 };

/** A sample payment for this event. */
function samplePayment(caller: Caller, type: EventType): Payment {
  const status = type.slice('payment.'.length) as PaymentStatus;
  const isRouted = status === 'routing' || status === 'settling';
  const isIn = status === 'paid' || status === 'refunded';
  const txHash = isIn || status === 'refund_required' ? `0x${randomBytes(32).toString('hex')}` : null;
  return {
    id: newId('pay'),
    accountId: caller.id,
    // No money moves for a sample, in whichever mode its endpoint is.
    livemode: false,
    sessionId: newId('cs'),
    status,
    sequence: SAMPLE_SEQUENCES[status] ?? 2,
    isAnnounced: true,
    route: isRouted ? 'routed' : 'direct',
    amountMinor: 4900n,
    currency: 'USD',
    payAsset: isRouted ? 'ETH' : 'USDC',
    payNetwork: isRouted ? 'ethereum' : 'base',
    receiveAsset: 'USDC',
    receiveNetwork: 'base',
    // No key of it is known.
    receiveAddress: sandboxAddress('base', 'sample'),
    payoutWalletId: newId('pp'),
    paymentLinkId: null,
    orderId: 'sample-order',
    metadata: { sample: 'true' },
    customer: { email: 'sample@example.com', name: 'Sample customer', reference: 'sample-customer' },
    description: 'Sample order',
    reference: randomBytes(32),
    serviceFeeMinor: isRouted ? 74n : 0n,
    expectedOutputUnits: status === 'created' ? null : isRouted ? 48_260_000n : 49_000_000n,
    actualOutputUnits: isIn ? 49_000_000n : status === 'refund_required' ? 20_000_000n : null,
    txHash,
    txHashes: txHash ? [txHash] : [],
    failureReason: status === 'failed' ? 'transaction_reverted' : status === 'refund_required' ? 'underpaid' : null,
    refund:
      status === 'refunded'
        ? { amountMinor: 4900n, address: null, reason: 'Sample refund', createdAt: caller.now }
        : null,
    refunds: status === 'refunded' ? { ...NO_REFUNDS, returnedMinor: 4900n } : NO_REFUNDS,
    settlementAlert: null,
    startedAt: status === 'created' ? null : caller.now,
    paidAt: isIn ? caller.now : null,
    endedAt: null,
    createdAt: later(caller.now, -90 * SECOND_MS),
    expiresAt: later(caller.now, HOUR_MS),
  };
}

/**
 * Test deliveries go to any address an account names. The limit of sixty, then one a second, keeps them from flooding a
 * stranger.
 */
export function takeTest({ caches }: Pick<Context, 'caches'>, account: Account): void {
  const fullAt = caches.testBursts;
  const now = performance.now();
  const next = Math.max(now, fullAt.get(account.id) ?? 0) + REFILL_MS;
  if (next - now > BURST * REFILL_MS) {
    throw new ApiError('rate_limited', {
      retryAfterSeconds: Math.ceil((next - now) / SECOND_MS) - BURST,
      message: 'Too many test deliveries. Try again after `Retry-After` seconds.',
    });
  }
  if (fullAt.size >= MAX_ACCOUNTS) for (const [id, at] of fullAt) if (at < now) fullAt.delete(id);
  fullAt.set(account.id, next);
}
