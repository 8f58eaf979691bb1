import type { Buffer } from 'node:buffer';
import type { Context } from '../../../context.ts';
import type { Caller } from '../../../platform/caller.ts';
import { EventStream } from '../../../platform/http/event-stream.ts';
import type { FastifyReply } from 'fastify';
import { later, SECOND_MS } from '../../../platform/time.ts';
import { isCredentialAlive } from '../../accounts/credential-store.ts';
import { findEvent, listEventsSince, type StoredEvent } from './event-store.ts';

const POLL_MS = 1 * SECOND_MS;
const BATCH = 200;
/** Events are numbered before they are committed, so a late one may stand before others that were sent already. */
const LATE_MS = 5 * SECOND_MS;

/** Sends the account's events as they are recorded, from the one named on, or from now, as long as the credential is good. */
export async function streamEvents(
  ctx: Context,
  caller: Caller,
  credentialHash: Buffer,
  reply: FastifyReply,
  lastEventId: string | undefined,
): Promise<EventStream> {
  const last = lastEventId === undefined ? undefined : await findEvent(ctx.db, caller, lastEventId);
  const stream = new EventStream(reply);
  // `quittance listen` signs for its own receiver with this secret, the same every time.
  stream.send({ event: 'ready', data: { signing_secret: listenSecret(ctx, caller) } });
  follow(ctx, caller, stream, last, () => isGood(ctx, caller, credentialHash)).catch((error) => {
    ctx.log.warn({ err: error }, 'event stream failed');
    stream.end();
  });
  return stream;
}

async function follow(
  ctx: Context,
  caller: Caller,
  stream: EventStream,
  last: StoredEvent | undefined,
  isLetIn: () => Promise<boolean>,
): Promise<void> {
  let wake: () => void = () => {};
  const stopHearing = await ctx.db.listen('deliveries', () => wake());
  stream.ended.addEventListener('abort', () => wake(), { once: true });
  const start = last?.recordedAt ?? caller.realNow;
  const sent = new Map<string, Date>(last ? [[last.id, last.recordedAt]] : []);
  let since = start;

  try {
    while (!stream.ended.aborted) {
      let isSlow = false;
      const rung = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const events = await listEventsSince(ctx.db, caller, since, [...sent.keys()], BATCH);
      // Asked after the events were read: what is told was there to be read while the credential was good.
      if (!(await isLetIn())) return stream.end();
      for (const event of events) {
        isSlow = !stream.send({ id: event.id, event: event.type, data: text(event.body) });
        sent.set(event.id, event.recordedAt);
      }
      const newest = events.at(-1)?.recordedAt ?? since;
      since = latest(start, latest(since, later(newest, -LATE_MS)));
      for (const [id, at] of sent) if (at < since) sent.delete(id);
      if (events.length === BATCH && !isSlow) continue;
      await Promise.race([isSlow ? never : rung, pause(POLL_MS)]);
    }
  } finally {
    await stopHearing().catch(() => {});
  }
}

async function isGood(ctx: Context, caller: Caller, credentialHash: Buffer): Promise<boolean> {
  return isCredentialAlive(ctx.db, caller, credentialHash, await ctx.db.now());
}

function listenSecret(ctx: Context, caller: Caller): string {
  const bytes = ctx.secrets.keyedHash(`${caller.id}:${caller.livemode ? 'live' : 'test'}`, 'listen signing secret');
  return `whsec_${bytes.subarray(0, 24).toString('base64')}`;
}

const never = new Promise<void>(() => {});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

function latest(one: Date, other: Date): Date {
  return one > other ? one : other;
}

function text(body: Buffer): string {
  return body.toString('utf8');
}
