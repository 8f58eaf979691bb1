import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors.ts';
import { clientBucket } from './client.ts';

const HEARTBEAT_MS = 15_000;
// What a client may have waiting for it before it is taken for gone.
const UNREAD_BYTES_MOST = 1024 * 1024;

const open = new WeakMap<object, Set<EventStream>>();

/** A stream of server-sent events to one client. Ends when the client leaves or the server closes. */
export class EventStream {
  readonly #reply: FastifyReply;
  readonly #ended = new AbortController();
  readonly client: string;

  /** Answers the request with a stream; a handler returns it. Everything that may be refused is refused before. */
  constructor(reply: FastifyReply) {
    this.#reply = reply;
    this.client = clientBucket(reply.request.ip);
    reply.header('content-type', 'text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').header('connection', 'keep-alive');
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
    if (this.#reply.raw.writableLength <= UNREAD_BYTES_MOST) return true;
    this.#reply.raw.destroy();
    return false;
  }

  end(): void {
    this.#reply.raw.end();
  }
}

// Each looks at the database by itself every few seconds, for as long as its client likes.
const STREAMS_MOST = 100;
const RETRY_AFTER_SECONDS = 30;

/** Refuses a client that holds as many streams open as one may. */
export function refuseManyStreams(reply: FastifyReply): void {
  const client = clientBucket(reply.request.ip);
  let held = 0;
  for (const stream of openStreams(reply.server.server)) if (stream.client === client) held += 1;
  if (held < STREAMS_MOST) return;
  throw new ApiError('rate_limited', { message: `This client follows ${STREAMS_MOST} checkouts already. Close one of them first.`, retryAfterSeconds: RETRY_AFTER_SECONDS });
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
