import { Agent, request } from 'undici';
import { plainConnector } from './answers.ts';
import { PermanentError, TemporaryError } from '../../platform/errors.ts';

export interface JsonRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** For the whole exchange, including the last byte of the response. */
  timeoutMs: number;
}

export interface JsonAnswer {
  status: number;
  body: unknown;
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const agent = new Agent({ connect: plainConnector() });

/**
 * One exchange of JSON with a configured service. Redirects are not followed. Any status with a JSON body is an answer.
 * A timeout, a broken connection, or a body that is invalid JSON or too large throws a `TemporaryError`.
 */
export async function exchangeJson(
  url: string,
  { method = 'GET', headers, body, timeoutMs }: JsonRequest,
): Promise<JsonAnswer> {
  const host = new URL(url).host;
  try {
    const answer = await request(url, {
      dispatcher: agent,
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // undici's own timeouts are idle timers, which a slow stream of bytes outlives. This one is a hard limit.
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

/** The body of a 2xx response. Other statuses throw by kind of failure. */
export async function getJson(url: string, options: JsonRequest): Promise<unknown> {
  const { status, body } = await exchangeJson(url, options);
  if (status >= 200 && status < 300) return body;
  const message = `${new URL(url).host} answered ${status}`;
  throw status === 408 || status === 429 || status >= 500 ? new TemporaryError(message) : new PermanentError(message);
}
