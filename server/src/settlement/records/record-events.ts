import { Buffer } from 'node:buffer';
import type { EventJson } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/db.ts';
import { later } from '../../platform/time.ts';
import type { Step } from './payment.ts';
import { presentEventData } from './present-payment.ts';
import { eventId, insertEvents } from './event-store.ts';
import type { Instants } from './settlement.ts';

/**
 * Writes the events of these steps, with one delivery for each endpoint subscribed to the type. Call it in the
 * transaction of the change, and `notify('deliveries', accountId)` after the commit.
 */
export async function recordEvents(
  ctx: Pick<Context, 'config'>,
  db: Db,
  steps: readonly Step[],
  at: Instants,
): Promise<void> {
  if (steps.length === 0) return;
  const recorded = recordedInOrder(steps, at.recorded);
  const events = steps.map((step, place) => {
    const id = eventId(step.payment, step.type);
    const body = eventBody(ctx, step, id, at.created);
    return { id, body, type: step.type, object: step.payment, recordedAt: recorded[place] ?? at.recorded };
  });
  await insertEvents(db, events, at.created);
}

/** The body that every endpoint receives for this event, on every attempt. Written once and never rebuilt. */
export function eventBody(ctx: Pick<Context, 'config'>, step: Step, eventId: string, created: Date): Buffer {
  return Buffer.from(JSON.stringify(eventJson(ctx, step, eventId, created)));
}

/** What the body says. */
export function eventJson(
  ctx: Pick<Context, 'config'>,
  { payment, type }: Step,
  eventId: string,
  created: Date,
): EventJson {
  return { id: eventId, type, created: created.toISOString(), data: presentEventData(ctx, payment) };
}

/** Steps of one payment in one commit are a millisecond apart, backwards from it, so that lists and queues keep their order. */
function recordedInOrder(steps: readonly Step[], recorded: Date): Date[] {
  const remaining = new Map<string, number>();
  return steps
    .toReversed()
    .map(({ payment }) => {
      const after = remaining.get(payment.id) ?? 0;
      remaining.set(payment.id, after + 1);
      return later(recorded, -after);
    })
    .reverse();
}
