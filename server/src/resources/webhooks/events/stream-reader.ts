import type { Buffer } from 'node:buffer';
import type { EventStream } from '../../../platform/http/event-stream.ts';
import { later } from '../../../platform/time.ts';
import type { StoredEvent } from './event-store.ts';

/** Events that may wait for a stream while it catches up. */
const MAX_WAITING = 5_000;
/** How far back the feed of a joining stream reads. */
const FEED_OVERLAP_MS = 60_000;

/** One stream of a feed: it gets the events that it has missed, then those that the feed reads. */
export class StreamReader {
  readonly stream: EventStream;
  readonly credentialHash: Buffer;
  /** What the feed has read since this stream joined; null once the stream is live. */
  #waiting: StoredEvent[] | null = [];
  /** Recent events that were already sent while catching up, so that the feed does not repeat them. */
  readonly #sent = new Set<string>();
  readonly #start: Date;
  readonly #overlapsFrom: Date;

  /** `last` was sent by an earlier stream; without it the stream begins now. */
  constructor(
    stream: EventStream,
    { credentialHash, last, now }: { credentialHash: Buffer; last: StoredEvent | undefined; now: Date },
  ) {
    this.stream = stream;
    this.credentialHash = credentialHash;
    this.#start = last?.recordedAt ?? now;
    this.#overlapsFrom = later(now, -FEED_OVERLAP_MS);
    if (last) this.#sent.add(last.id);
  }

  sendPast(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (event.recordedAt >= this.#overlapsFrom) this.#sent.add(event.id);
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
    if (this.#waiting) {
      this.#waiting.push(...events);
      // The client resumes with `Last-Event-ID`.
      if (this.#waiting.length > MAX_WAITING) this.stream.end();
      return;
    }
    for (const event of events) if (event.recordedAt >= this.#start && !this.#sent.delete(event.id)) this.#write(event);
  }

  #write({ id, type, body }: StoredEvent): void {
    this.stream.send({ id, event: type, data: body.toString('utf8') });
  }
}
