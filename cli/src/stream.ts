import { createParser } from 'eventsource-parser';
import type { Terminal } from './terminal.ts';

export interface Message {
  id?: string | undefined;
  event?: string | undefined;
  data: string;
}

export type StreamEnd =
  | { how: 'stopped' }
  | { how: 'refused'; status: number; message: string }
  | { how: 'broken'; reason: unknown };

/** Reads the key's event stream from after the last event, one message after the other, until it ends. */
export async function follow(
  { service, key, lastId }: { service: string; key: string; lastId?: string | undefined },
  terminal: Terminal,
  take: (message: Message) => Promise<'on' | 'stop'>,
): Promise<StreamEnd> {
  const stop = new AbortController();
  const signal = terminal.signal ? AbortSignal.any([terminal.signal, stop.signal]) : stop.signal;
  try {
    const response = await fetch(`${service}/v1/events/stream`, {
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'text/event-stream',
        ...(lastId && { 'last-event-id': lastId }),
      },
      signal,
    });
    // Another try would get the same answer. An overloaded or restarting server answers 429 or 5xx.
    if (response.status >= 400 && response.status < 500 && response.status !== 429) {
      return { how: 'refused', status: response.status, message: await errorMessageOf(response) };
    }
    if (!response.ok || !response.body) return { how: 'broken', reason: `status ${response.status}` };

    const waiting: Message[] = [];
    const parser = createParser({
      onEvent: (message) => {
        waiting.push(message);
      },
    });
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      parser.feed(text);
      for (const message of waiting.splice(0)) {
        if ((await take(message)) === 'stop') {
          stop.abort();
          return { how: 'stopped' };
        }
      }
    }
    return { how: 'broken', reason: 'it was closed' };
  } catch (error) {
    return terminal.signal?.aborted ? { how: 'stopped' } : { how: 'broken', reason: error };
  }
}

/** The secret that `listen` signs with, from the first message of the stream. */
export async function listeningSecret(service: string, key: string, terminal: Terminal): Promise<string> {
  let secret = '';
  const ended = await follow({ service, key }, terminal, async (message) => {
    secret = (JSON.parse(message.data) as { signing_secret: string }).signing_secret;
    return 'stop';
  });
  if (secret === '')
    throw new Error(ended.how === 'refused' ? ended.message : 'The server did not return a signing secret.');
  return secret;
}

async function errorMessageOf(response: Response): Promise<string> {
  const { error } = (await response.json().catch(() => ({}))) as { error?: { code: string; message: string } };
  return error
    ? `${error.code}: ${error.message}`
    : `The service answered ${response.status}. Is Quittance running at ${new URL(response.url).origin}?`;
}
