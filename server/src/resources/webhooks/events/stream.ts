import type { Buffer } from 'node:buffer';
import type { Context } from '../../../context.ts';
import type { Caller } from '../../../platform/caller.ts';
import type { Database } from '../../../platform/db/db.ts';
import type { FeedRules } from '../../../platform/db/feed.ts';
import { Client } from '../../../platform/http/admission/client.ts';
import { admitStream, EventStream } from '../../../platform/http/event-stream.ts';
import type { FastifyReply } from 'fastify';
import { later, SECOND_MS } from '../../../platform/time.ts';
import { findAliveCredentials } from '../../accounts/credential-store.ts';
import { findEvent, listEventsBetween, listEventsSince, type StoredEvent } from './event-store.ts';
import { StreamReader, type StreamStart } from './stream-reader.ts';

const LOOK_EVERY_MS = 3 * SECOND_MS;
/** Between two queries, so that a busy account's signals do not each cause a statement. */
const MIN_PAUSE_MS = 50;
/** Limit per process, over all accounts. */
const MAX_STREAMS = 1_000;
/** A batch of the longest events is not too much for a client that reads. */
const BATCH = 25;
/** Events are numbered before they are committed, so a late one may come before others that were sent already. */
const LATE_MS = 5 * SECOND_MS;

/** Streams the account's events after the named one, or from now on, while the credential is valid. */
export async function streamEvents(
  ctx: Context,
  caller: Caller,
  {
    credentialHash,
    reply,
    lastEventId,
  }: { credentialHash: Buffer; reply: FastifyReply; lastEventId: string | undefined },
): Promise<EventStream> {
  const last = lastEventId === undefined ? undefined : await findEvent(ctx.db, caller, lastEventId);
  const start = await startOf(ctx, caller, last);
  const admitted = admitStream(reply, { kind: 'account', who: Client.only(accountOf(caller)) }, MAX_STREAMS);
  const stream = new EventStream(reply, admitted);
  stream.send({ event: 'ready', data: { signing_secret: listenSecret(ctx, caller, credentialHash) } });
  const reader = new StreamReader(stream, { credentialHash, start, now: caller.realNow });
  if (!stream.ended.aborted) join(ctx, caller, reader, start);
  return stream;
}

/**
 * A stream begins after the event that an earlier one sent last, otherwise now. Events of the time before that
 * are sent too, because they may have been committed since. A new stream knows which were committed before it; which
 * ones an earlier stream sent is not known, so a resumed one sends them again.
 */
async function startOf(ctx: Context, caller: Caller, last: StoredEvent | undefined): Promise<StreamStart> {
  if (last) return { from: later(last.recordedAt, -LATE_MS), known: [last] };
  const from = later(caller.realNow, -LATE_MS);
  return { from, known: await listEventsBetween(ctx.db, caller, { since: from, until: caller.realNow }) };
}

/** Joins the feed before it catches up, so that no event falls between the two. */
function join(ctx: Context, caller: Caller, reader: StreamReader, start: StreamStart): void {
  const { leave } = ctx.feeds.join(`events ${accountOf(caller)}`, reader, () => eventFeed(ctx, caller));
  reader.stream.ended.addEventListener('abort', leave, { once: true });
  catchUp(ctx, caller, reader, start).catch((error) => {
    ctx.log.warn({ err: error }, 'event stream failed');
    reader.stream.end();
  });
}

async function catchUp(ctx: Context, caller: Caller, reader: StreamReader, start: StreamStart): Promise<void> {
  const position = new Position(start);
  for (;;) {
    const events = await position.read(ctx.db, caller);
    await endRevoked(ctx, [reader]);
    if (reader.stream.ended.aborted) return;
    await reader.sendPast(events);
    if (events.length < BATCH) break;
  }
  await reader.goLive();
}

/** All streams of one account and mode share each query. */
function eventFeed(ctx: Context, caller: Caller): FeedRules<StreamReader> {
  // Each reader drops what is from before it.
  const position = new Position({ from: later(caller.realNow, -LATE_MS), known: [] });
  return {
    db: ctx.db,
    channel: 'deliveries',
    concerns: (account) => account === caller.id,
    everyMs: LOOK_EVERY_MS,
    async look(readers) {
      const events = await position.read(ctx.db, caller);
      // Read after the events, so that they were sent under a credential that was valid when they were read.
      await endRevoked(ctx, [...readers]);
      for (const reader of readers) reader.send(events);
      // Before a full batch, readers have this long to read the one before.
      await pause(MIN_PAUSE_MS);
      return events.length < BATCH ? 'idle' : 'more';
    },
    failed: (error, { size }) => ctx.log.warn({ err: error, streams: size }, 'event streams failed'),
    end: ({ stream }) => stream.end(),
  };
}

function accountOf(caller: Caller): string {
  return `${caller.id} ${caller.livemode ? 'live' : 'test'}`;
}

/** How far an account's events have been read. */
class Position {
  readonly #start: Date;
  readonly #sent: Map<string, Date>;
  #since: Date;

  constructor({ from, known }: StreamStart) {
    this.#start = from;
    this.#since = from;
    this.#sent = new Map(known.map(({ id, recordedAt }) => [id, recordedAt]));
  }

  async read(db: Database, caller: Caller): Promise<StoredEvent[]> {
    const events = await listEventsSince(db, caller, {
      since: this.#since,
      excludedIds: [...this.#sent.keys()],
      limit: BATCH,
    });
    for (const { id, recordedAt } of events) this.#sent.set(id, recordedAt);
    const newest = events.at(-1)?.recordedAt ?? this.#since;
    this.#since = latest(this.#start, latest(this.#since, later(newest, -LATE_MS)));
    for (const [id, at] of this.#sent) if (at < this.#since) this.#sent.delete(id);
    return events;
  }
}

async function endRevoked(ctx: Context, readers: readonly StreamReader[]): Promise<void> {
  const hashes = new Map(readers.map(({ credentialHash }) => [credentialHash.toString('hex'), credentialHash]));
  const alive = await findAliveCredentials(ctx.db, [...hashes.values()], await ctx.db.now());
  for (const { stream, credentialHash } of readers) if (!alive.has(credentialHash.toString('hex'))) stream.end();
}

/**
 * What `quittance listen` signs with for its own receiver, the same every time for one credential. Another credential of
 * the account gets another secret, so that a key that may only read signs for no receiver of anyone else.
 */
function listenSecret(ctx: Context, caller: Caller, credentialHash: Buffer): string {
  const of = `${accountOf(caller)} ${credentialHash.toString('hex')}`;
  const bytes = ctx.secrets.keyedHash(of, 'listen signing secret');
  return `whsec_${bytes.subarray(0, 24).toString('base64')}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

function latest(one: Date, other: Date): Date {
  return one > other ? one : other;
}
