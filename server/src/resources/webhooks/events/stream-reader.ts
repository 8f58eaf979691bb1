import type { Buffer } from 'node:buffer';
import type { EventStream } from '../../../platform/http/event-stream.ts';
import { later } from '../../../platform/time.ts';
import type { StoredEvent } from './event-store.ts';

/** Bytes of events that may wait for a stream while it catches up. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Bytes that are sent to a client that has read everything before. */
const PORTION_BYTES = 512 * 1024;
/** How far back the feed of a joining stream reads. */
const FEED_OVERLAP_MS = 60_000;

/** The instant from which a stream sends events, and the events since then that it does not send. */
export interface StreamStart {
  from: Date;
  known: readonly Pick<StoredEvent, 'id' | 'recordedAt'>[];
}

/** One stream of a feed: it gets the events that it has missed, then those that the feed reads. */
export class StreamReader {
  readonly stream: EventStream;
  readonly credentialHash: Buffer;
  /** What the feed has read since this stream joined; null once the stream is live. */
  #waiting: StoredEvent[] | null = [];
  /** Events from before the stream, and recent ones that were sent while catching up; the feed does not repeat them. */
  readonly #known: Set<string>;
  readonly #from: Date;
  readonly #overlapsFrom: Date;

  constructor(
    stream: EventStream,
    { credentialHash, start, now }: { credentialHash: Buffer; start: StreamStart; now: Date },
  ) {
    this.stream = stream;
    this.credentialHash = credentialHash;
    this.#from = start.from;
    this.#known = new Set(start.known.map(({ id }) => id));
    this.#overlapsFrom = later(now, -FEED_OVERLAP_MS);
  }

  /** As fast as the client reads. */
  async sendPast(events: readonly StoredEvent[]): Promise<void> {
    for (const event of events) if (event.recordedAt >= this.#overlapsFrom) this.#known.add(event.id);
    await this.#writeInPortions(events);
  }

  /** Everything older has been sent. */
  async goLive(): Promise<void> {
    while (this.#waiting && this.#waiting.length > 0) {
      const waiting = this.#waiting;
      this.#waiting = [];
      await this.#writeInPortions(waiting.filter((event) => !this.#known.delete(event.id)));
    }
    this.#waiting = null;
  }

  send(events: readonly StoredEvent[]): void {
    const own = events.filter((event) => event.recordedAt >= this.#from && !this.#known.delete(event.id));
    if (this.#waiting) {
      this.#waiting.push(...own);
      // The client resumes with `Last-Event-ID`.
      if (bytesOf(this.#waiting) > MAX_WAITING_BYTES) this.stream.end();
      return;
    }
    for (const event of own) this.#write(event);
  }

  async #writeInPortions(events: readonly StoredEvent[]): Promise<void> {
    let sent = PORTION_BYTES;
    for (const event of events) {
      sent += event.body.length;
      if (sent > PORTION_BYTES) {
        await this.stream.untilRead();
        sent = event.body.length;
      }
      this.#write(event);
    }
  }

  #write({ id, type, body }: StoredEvent): void {
    this.stream.send({ id, event: type, data: body.toString('utf8') });
  }
}

function bytesOf(events: readonly StoredEvent[]): number {
  return events.reduce((sum, { body }) => sum + body.length, 0);
}
