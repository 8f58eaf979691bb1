import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from '../../context.ts';
import { openKeys } from '../webhooks/delivery/signature.ts';
import { findBuiltInReceivers } from '../webhooks/endpoints/endpoint-store.ts';

const MAX_KEPT = 200;

/** A webhook as the built-in receiver got it. */
export interface ReceivedWebhook {
  id: number;
  at: Date;
  headers: Record<string, string>;
  body: Buffer;
  type: string;
  eventId: string;
  paymentId: string;
  /** The endpoint whose secret made the signature, or the reason why it is invalid. */
  verdict: { verified: true; endpointId: string } | { verified: false; why: string };
}

/** Webhooks received since the start, newest first. The oldest are dropped. */
export class Inbox {
  readonly #received: ReceivedWebhook[] = [];
  #count = 0;

  all(): readonly ReceivedWebhook[] {
    return this.#received;
  }

  find(id: number): ReceivedWebhook | undefined {
    return this.#received.find((one) => one.id === id);
  }

  async receive(ctx: Context, headers: Record<string, string>, body: Buffer): Promise<ReceivedWebhook> {
    const event = readEvent(body);
    const verdict = await judge(ctx, headers['service-signature'] ?? '', body);
    const received = { id: ++this.#count, at: await ctx.db.now(), headers, body, verdict, ...event };
    this.#received.unshift(received);
    this.#received.length = Math.min(this.#received.length, MAX_KEPT);
    return received;
  }
}

/** Verifies like any receiver. The secret comes from the database, because this receiver is part of the service. */
async function judge(ctx: Context, header: string, body: Buffer): Promise<ReceivedWebhook['verdict']> {
  const parts = header.split(',').map((part) => part.split('=', 2) as [string, string?]);
  const time = parts.find(([name]) => name === 't')?.[1];
  const signatures = parts.flatMap(([name, value]) => (name === 'v1' && value !== undefined ? [value] : []));
  if (!time || signatures.length === 0)
    return { verified: false, why: 'The Service-Signature header is missing or malformed.' };

  for (const endpoint of await findBuiltInReceivers(ctx.db)) {
    const expected = createHmac('sha256', openKeys(ctx, endpoint.id, endpoint.secret).own)
      .update(`${time}.`)
      .update(body)
      .digest();
    const isSame = signatures.some(
      (one) => /^[0-9a-f]{64}$/.test(one) && timingSafeEqual(Buffer.from(one, 'hex'), expected),
    );
    if (isSame) return { verified: true, endpointId: endpoint.id };
  }
  return { verified: false, why: 'No endpoint with this URL has a secret that matches this signature.' };
}

function readEvent(body: Buffer): { type: string; eventId: string; paymentId: string } {
  try {
    const event = JSON.parse(body.toString('utf8')) as { id?: unknown; type?: unknown; data?: { id?: unknown } };
    return {
      type: String(event.type ?? '?'),
      eventId: String(event.id ?? '?'),
      paymentId: String(event.data?.id ?? '?'),
    };
  } catch {
    return { type: 'not JSON', eventId: '?', paymentId: '?' };
  }
}
