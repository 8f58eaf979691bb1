import { request } from 'undici';
import { serve } from '../../support/listen.ts';

/** One request to a provider, and its response. */
export interface Exchange {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
  status: number;
  answer: unknown;
}

/** A proxy between an adapter and a provider that records everything. */
export interface Recorder {
  url: string;
  exchanges: Exchange[];
  stop(): Promise<void>;
}

const NOT_PASSED_ON = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding']);
const TIMEOUT_MS = 30_000;

export async function startRecorder(upstream: string): Promise<Recorder> {
  const exchanges: Exchange[] = [];
  const { url, stop } = await serve(async (incoming, outgoing) => {
    const sent = Buffer.concat(await incoming.toArray());
    const url = new URL(incoming.url ?? '/', 'http://recorder');
    const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => !NOT_PASSED_ON.has(name)));
    try {
      const answered = await request(`${upstream}${url.pathname}${url.search}`, {
        method: incoming.method as 'GET' | 'POST',
        headers,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(sent.length > 0 && { body: sent }),
      });
      const text = await answered.body.text();
      exchanges.push({
        method: incoming.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: incoming.headers,
        body: sent.length > 0 ? parsed(sent.toString()) : undefined,
        status: answered.statusCode,
        answer: parsed(text),
      });
      outgoing.writeHead(answered.statusCode, { 'content-type': 'application/json' }).end(text);
    } catch {
      // The client finds the connection closed, as it was.
      outgoing.destroy();
    }
  });
  return { url, exchanges, stop };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
