import type { Buffer } from 'node:buffer';
import type { EventStream } from '../../../platform/http/event-stream.ts';
import { later } from '../../../platform/time.ts';
import type { StoredEvent } from './event-store.ts';

/** Events that may wait for a stream while it catches up. */
const MAX_WAITING = 5_000;
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

  sendPast(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (event.recordedAt >= this.#overlapsFrom) this.#known.add(event.id);
      this.#write(event);
    }
  }

  /** Everything older has been sent. */
  goLive(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    this.send(waiting);
  }

  send(events: readonly StoredEvent[]): void {
    const own = events.filter((event) => event.recordedAt >= this.#from && !this.#known.delete(event.id));
    if (this.#waiting) {
      this.#waiting.push(...own);
      // The client resumes with `Last-Event-ID`.
      if (this.#waiting.length > MAX_WAITING) this.stream.end();
      return;
    }
    for (const event of own) this.#write(event);
  }

  #write({ id, type, body }: StoredEvent): void {
    this.stream.send({ id, event: type, data: body.toString('utf8') });
  }
}
