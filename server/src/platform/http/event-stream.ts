import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors.ts';
import { clientBucket } from './admission/client.ts';

const HEARTBEAT_MS = 15_000;
// What a client may have waiting for it before it is taken for gone.
const MAX_UNREAD_BYTES = 1024 * 1024;

const open = new WeakMap<object, Set<EventStream>>();

/** A stream of server-sent events to one client. Ends when the client leaves or the server closes. */
export class EventStream {
  readonly #reply: FastifyReply;
  readonly #ended = new AbortController();
  readonly client: string;
  /** Followed without a credential, so it counts against the cap of all such streams. */
  readonly isPublic: boolean;

  /** Answers the request with a stream; a handler returns it. Everything that may be refused is refused before. */
  constructor(reply: FastifyReply, { isPublic = false }: { isPublic?: boolean } = {}) {
    this.#reply = reply;
    this.isPublic = isPublic;
    this.client = clientBucket(reply.request.ip);
    reply
      .header('content-type', 'text/event-stream; charset=utf-8')
      .header('x-accel-buffering', 'no')
      .header('connection', 'keep-alive');
    reply.hijack();
    reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
    // Some proxies wait for a first byte before they tell the client that there is an answer.
    reply.raw.write(':\n\n');

    // Whoever asks for the headers alone has them now.
    if (reply.request.method === 'HEAD') reply.raw.end();

    const streams = openStreams(reply.server.server);
    streams.add(this);
    const heartbeat = setInterval(() => reply.raw.write(':\n\n'), HEARTBEAT_MS).unref();
    reply.raw.once('close', () => {
      clearInterval(heartbeat);
      streams.delete(this);
      this.#ended.abort();
    });
  }

  /** Aborts once nobody listens any more. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Sends one event. False where the client has left; one that does not read what it is sent is made to. */
  send({ id, event, data }: { id?: string; event?: string; data: unknown }): boolean {
    if (this.ended.aborted || this.#reply.raw.writableEnded) return false;
    const lines = [
      ...(id === undefined ? [] : [`id: ${id}`]),
      ...(event === undefined ? [] : [`event: ${event}`]),
      // JSON has no line breaks of its own, so one line is enough.
      `data: ${typeof data === 'string' ? data.replaceAll(/\r\n|[\r\n]/g, '\ndata: ') : JSON.stringify(data)}`,
    ];
    this.#reply.raw.write(`${lines.join('\n')}\n\n`);
    if (this.#reply.raw.writableLength <= MAX_UNREAD_BYTES) return true;
    this.#reply.raw.destroy();
    return false;
  }

  end(): void {
    this.#reply.raw.end();
  }
}

const MAX_STREAMS_PER_CLIENT = 100;
const RETRY_AFTER_SECONDS = 30;

/**
 * Makes room for one more public stream, or refuses it. At the cap the client with the most streams loses its oldest to one
 * with fewer, so that a few greedy clients cannot keep the others out. A page whose stream ends polls until it is back.
 */
export function admitPublicStream(reply: FastifyReply, maxStreams: number): void {
  const client = clientBucket(reply.request.ip);
  const streams = openStreams(reply.server.server);
  const byClient = Map.groupBy(
    [...streams].filter((stream) => stream.isPublic),
    (stream) => stream.client,
  );
  const held = byClient.get(client)?.length ?? 0;
  if (held >= MAX_STREAMS_PER_CLIENT) {
    throw new ApiError('rate_limited', {
      message: `This client already has ${MAX_STREAMS_PER_CLIENT} open streams, which is the limit. Close one first.`,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  const lists = [...byClient.values()];
  if (lists.reduce((sum, list) => sum + list.length, 0) < maxStreams) return;

  const [oldest, ...others] = lists.reduce((most, list) => (list.length > most.length ? list : most), []);
  if (!oldest || others.length <= held)
    throw new ApiError('service_unavailable', {
      message: 'Too many open streams. Poll the session instead, or try again after `Retry-After` seconds.',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  streams.delete(oldest);
  oldest.end();
}

/** The streams that a server has open, so that it can end them before it closes. */
export function openStreams(server: object): Set<EventStream> {
  let streams = open.get(server);
  if (!streams) {
    streams = new Set();
    open.set(server, streams);
  }
  return streams;
}
