import { createHmac } from 'node:crypto';
import { generateTestHeader } from '@quittance/sdk';
import { UsageError } from './command.ts';

const TIMEOUT_MS = 10_000;

/** The receiver's answer: its status, or why there was none. */
export interface Forwarded {
  answer: number | string;
  durationMs: number;
}

/** Sends one event to a receiver on this machine, with every header of a real delivery. */
export async function forward(target: string, eventId: string, body: string, secret: string): Promise<Forwarded> {
  const started = performance.now();
  const seconds = Math.floor(Date.now() / 1000);
  const standard = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`${eventId}.${seconds}.${body}`)
    .digest('base64');
  const answer = await fetch(target, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'service-signature': await generateTestHeader(body, secret, { timestamp: seconds }),
      'webhook-id': eventId,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${standard}`,
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).then((response) => response.status, reasonOf);
  return { answer, durationMs: Math.round(performance.now() - started) };
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
