import { request } from 'undici';
import { PermanentError, TemporaryError } from '../../platform/errors.ts';

export interface JsonRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** For the whole exchange, the answer's last byte included. */
  timeoutMs: number;
}

export interface JsonAnswer {
  status: number;
  body: unknown;
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * One exchange of JSON with a service that our settings name. Redirects are not followed. Any status with a JSON body
 * is an answer; a time-out, a broken connection, a body that is no JSON or too large is a `TemporaryError`.
 */
export async function exchangeJson(
  url: string,
  { method = 'GET', headers, body, timeoutMs }: JsonRequest,
): Promise<JsonAnswer> {
  const host = new URL(url).host;
  try {
    const answer = await request(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // undici's own time-outs are idle timers, which a dripping answer outlives; this one is not.
      signal: AbortSignal.timeout(timeoutMs),
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) throw new Error(`more than ${MAX_ANSWER_BYTES} bytes`);
      chunks.push(chunk);
    }
    return { status: answer.statusCode, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch (cause) {
    throw new TemporaryError(`${host} returned no readable response: ${(cause as Error).message}`, { cause });
  }
}

/** The body of a 2xx answer; else what kind of failure the status is. */
export async function getJson(url: string, options: JsonRequest): Promise<unknown> {
  const { status, body } = await exchangeJson(url, options);
  if (status >= 200 && status < 300) return body;
  const said = `${new URL(url).host} answered ${status}`;
  throw status === 408 || status === 429 || status >= 500 ? new TemporaryError(said) : new PermanentError(said);
}
