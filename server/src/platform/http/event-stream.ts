import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors.ts';
import type { Client } from './admission/client.ts';

const HEARTBEAT_MS = 15_000;
// Unread bytes after which a client counts as disconnected.
const MAX_UNREAD_BYTES = 1024 * 1024;
/** How long a client may take to read what was sent before more follows. */
const READ_MS = 30_000;
/** How long a client may take to read what was sent before the end. */
const FLUSH_MS = 5_000;

declare module 'fastify' {
  interface FastifyInstance {
    /** The open streams of a server, so that it can end them before it closes. */
    eventStreams: Set<EventStream>;
  }
}

/** A stream of server-sent events to one client. Ends when the client leaves or the server closes. */
export class EventStream {
  readonly #reply: FastifyReply;
  readonly #ended = new AbortController();
  readonly #streams: Set<EventStream>;
  readonly #heartbeat: NodeJS.Timeout | undefined;
  /** The holder that the stream is counted for. */
  readonly holder: StreamHolder | null;

  /** Answers the request with a stream; the handler returns it. Reject a request before this. */
  constructor(reply: FastifyReply, holder: StreamHolder | null = null) {
    // A response that waits behind another one does not notice when its connection closes: this stream would never end.
    if (reply.raw.socket === null)
      throw new ApiError('invalid_request', {
        message: 'An event stream needs its own connection: another response is still being sent on this one.',
      });
    this.#reply = reply;
    this.holder = holder;
    reply
      .header('content-type', 'text/event-stream; charset=utf-8')
      .header('x-accel-buffering', 'no')
      .header('connection', 'keep-alive');
    reply.hijack();
    // Fastify listens for the first error only, and a second one would end the process.
    reply.raw.on('error', () => {});
    reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
    // Some proxies wait for a first byte before they pass the response on.
    reply.raw.write(':\n\n');

    this.#streams = reply.server.eventStreams;
    // The client left while its request was read, and `close` is emitted once only.
    if (reply.request.method === 'HEAD' || reply.raw.closed || reply.raw.destroyed) {
      this.end();
      return;
    }
    this.#streams.add(this);
    this.#heartbeat = setInterval(() => reply.raw.write(':\n\n'), HEARTBEAT_MS).unref();
    reply.raw.once('close', () => this.#finish());
  }

  /** Aborts once the stream has ended or its client has left. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Sends one event. False if the client has disconnected. A client that does not read is disconnected. */
  send({ id, event, data }: { id?: string; event?: string; data: unknown }): boolean {
    if (this.ended.aborted) return false;
    const lines = [
      ...(id === undefined ? [] : [`id: ${id}`]),
      ...(event === undefined ? [] : [`event: ${event}`]),
      // JSON has no line breaks, so one line is enough.
      `data: ${typeof data === 'string' ? data.replaceAll(/\r\n|[\r\n]/g, '\ndata: ') : JSON.stringify(data)}`,
    ];
    this.#reply.raw.write(`${lines.join('\n')}\n\n`);
    if (this.#reply.raw.writableLength <= MAX_UNREAD_BYTES) return true;
    this.#reply.raw.destroy();
    return false;
  }

  /** Resolves once the client has read what was sent, or the stream has ended. A client that does not is disconnected. */
  async untilRead(): Promise<void> {
    const { raw } = this.#reply;
    if (!raw.writableNeedDrain || this.ended.aborted) return;
    const cutOff = setTimeout(() => raw.destroy(), READ_MS).unref();
    await once(raw, 'drain', { signal: this.ended }).catch(() => {});
    clearTimeout(cutOff);
  }

  /** Ends the stream, and the connection of a client that does not read the rest. */
  end(): void {
    const { raw } = this.#reply;
    this.#finish();
    raw.end();
    if (raw.writableFinished) return;
    const cutOff = setTimeout(() => raw.destroy(), FLUSH_MS).unref();
    raw.once('close', () => clearTimeout(cutOff));
  }

  #finish(): void {
    clearInterval(this.#heartbeat);
    this.#streams.delete(this);
    this.#ended.abort();
  }
}

/** Public streams belong to a client's address, the others to an account in one mode. */
export interface StreamHolder {
  kind: 'client' | 'account';
  who: Client;
}

const MAX_PER_HOLDER = { client: 100, account: 20 };
const RETRY_AFTER_SECONDS = 30;

/**
 * Makes room for one more stream, or rejects it. At the limit of a process, the holder with the most streams loses its
 * oldest to one with fewer, so that a few greedy holders cannot exclude the others. A page whose stream ends polls
 * until it is back.
 */
export function admitStream(reply: FastifyReply, holder: StreamHolder, maxStreams: number): StreamHolder {
  const streams = [...reply.server.eventStreams].filter((stream) => stream.holder?.kind === holder.kind);
  const maxHeld = MAX_PER_HOLDER[holder.kind];
  for (const { name, allowance } of holder.who.ranges) {
    const held = streams.filter(({ holder: other }) => other?.who.ranges.some((range) => range.name === name)).length;
    if (held >= maxHeld * allowance)
      throw new ApiError('rate_limited', {
        message:
          `This ${allowance === 1 ? holder.kind : 'IPv6 range (/48)'} already has ${held} open streams, ` +
          'which is the limit. Close one first.',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
  }
  if (streams.length < maxStreams) return holder;

  const byHolder = Map.groupBy(streams, (stream) => widest(stream.holder));
  const held = byHolder.get(widest(holder))?.length ?? 0;
  const lists = [...byHolder.values()];
  const [oldest, ...others] = lists.reduce((most, list) => (list.length > most.length ? list : most), []);
  if (!oldest || others.length <= held)
    throw new ApiError('service_unavailable', {
      message: 'Too many open streams. Poll instead, or try again after `Retry-After` seconds.',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  oldest.end();
  return holder;
}

/** All clients of an IPv6 range are one holder, or a range of thousands with one stream each would keep out the others. */
function widest(holder: StreamHolder | null): string | undefined {
  return holder?.who.wide ?? holder?.who.narrow;
}
