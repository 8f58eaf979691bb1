import { createHmac } from 'node:crypto';
import { generateTestHeader } from '@quittance/sdk';
import { UsageError } from './command.ts';

const TIMEOUT_MS = 10_000;

/** The receiver's answer: its status, or why there was none. */
export interface Forwarded {
  answer: number | string;
  /** The first line of a refusal, which often says what is wrong. */
  said?: string;
  durationMs: number;
}

const MAX_SAID_LENGTH = 200;

/** Sends one event to a receiver on this machine, with every header of a real delivery. */
export async function forward(target: string, eventId: string, body: string, secret: string): Promise<Forwarded> {
  const headers = await signedHeaders({ secrets: [secret], eventId, body });
  return send(target, headers, body);
}

/** Sends a body to a receiver, which has as long as a real delivery waits. Redirects are not followed. */
export async function send(
  target: string,
  headers: Record<string, string>,
  body: NonNullable<RequestInit['body']>,
): Promise<Forwarded> {
  const started = performance.now();
  const request = { method: 'POST', headers, body, redirect: 'manual', duplex: 'half' } as const;
  const answered = await fetch(target, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
    async (response) => {
      if (!response.ok) return { answer: response.status, said: await firstLineOf(response) };
      await response.body?.cancel();
      return { answer: response.status };
    },
    (failure) => ({ answer: reasonOf(failure) }),
  );
  return { ...answered, durationMs: Math.round(performance.now() - started) };
}

/** Of the first part of a body; a receiver may send more than anyone wants to read, or never end. */
async function firstLineOf({ body }: Response): Promise<string> {
  if (!body) return '';
  const reader = body.getReader();
  const part = await reader.read().catch(() => undefined);
  void reader.cancel().catch(() => {});
  const [line = ''] = new TextDecoder().decode(part?.value).trim().split('\n');
  // A receiver must not move the cursor of the terminal.
  return line.replaceAll(/\p{C}/gu, '').slice(0, MAX_SAID_LENGTH);
}

/** Every header of a real delivery. While a rotated secret overlaps, both secrets sign. */
export async function signedHeaders(signed: {
  secrets: readonly string[];
  eventId: string;
  body: string;
  /** Unix time. Default: now. */
  seconds?: number;
}): Promise<Record<string, string>> {
  const { secrets, eventId, body, seconds = Math.floor(Date.now() / 1000) } = signed;
  const own = await Promise.all(secrets.map((secret) => generateTestHeader(body, secret, { timestamp: seconds })));
  const standard = secrets.map((secret) => {
    const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
    return `v1,${hmac.update(`${eventId}.${seconds}.${body}`).digest('base64')}`;
  });
  return {
    'content-type': 'application/json',
    'service-signature': [`t=${seconds}`, ...own.map((header) => header.replace(/^t=\d+,/, ''))].join(','),
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard.join(' '),
  };
}

/** Whether the receiver took it, as a service counts it. */
export function isAccepted(answer: Forwarded['answer']): boolean {
  return typeof answer === 'number' && answer >= 200 && answer < 300;
}

/** The receiver's address, unchanged. */
export function receiverAddress(target: string | undefined): string | undefined {
  if (target !== undefined && !isAddress(target))
    throw new UsageError(`--forward-to must be a URL like http://localhost:4000/webhooks, not "${target}"`);
  return target;
}

export function isAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The network error; `fetch` itself only reports that it failed. */
export function reasonOf(failure: unknown): string {
  const { cause, message } = failure as { cause?: { message?: string; code?: string }; message: string };
  return cause?.message || cause?.code || message;
}
