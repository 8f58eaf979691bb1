import { Buffer } from 'node:buffer';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
import { later } from '../../platform/time.ts';
import type { Step } from './payment.ts';
import { presentEventData } from './present-payment.ts';
import { insertEvents } from './event-store.ts';

/** When an event happened for its account (the test clock's time in test mode), and when the database wrote it. */
export interface EventTimes {
  created: Date;
  recorded: Date;
}

/**
 * Writes the events of these steps, and with each its deliveries: one per endpoint that has subscribed to its type.
 * Belongs into the transaction of the change; afterwards `notify('deliveries', accountId)` once that has committed.
 */
export async function recordEvents(
  ctx: Pick<Context, 'config'>,
  db: Db,
  steps: readonly Step[],
  at: EventTimes,
): Promise<void> {
  if (steps.length === 0) return;
  const recorded = recordedInOrder(steps, at.recorded);
  const events = steps.map((step, place) => {
    const id = newId('evt');
    const body = eventBody(ctx, step, id, at.created);
    return { id, body, type: step.type, payment: step.payment, recordedAt: recorded[place] ?? at.recorded };
  });
  await insertEvents(db, events, at.created);
}

/** The bytes every receiver of this event gets, at every attempt. Written once, never made again. */
export function eventBody(
  ctx: Pick<Context, 'config'>,
  { payment, type }: Step,
  eventId: string,
  created: Date,
): Buffer {
  return Buffer.from(
    JSON.stringify({ id: eventId, type, created: created.toISOString(), data: presentEventData(ctx, payment) }),
  );
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
