import { type ImportedKey, isSignedByOne, type Jwks, keysAt } from './jwks.ts';
import type { Event } from './types.gen.ts';

export type { Jwks } from './jwks.ts';
export type { Event } from './types.gen.ts';

const encoder = new TextEncoder();

/** A webhook failed verification; the message says why. */
export class SignatureVerificationError extends Error {
  override readonly name = 'SignatureVerificationError';
}

export interface VerifyOptions {
  /** Maximum age of a signature in seconds. Default 300; 0 accepts any age. */
  toleranceSeconds?: number;
  /** The current time, for tests. */
  now?: Date;
}

/** A request of Node's `http`, which Express and others pass on, or a web `Request`. */
export type WebhookRequest =
  | Request
  | (AsyncIterable<Uint8Array | string> & {
      headers: Record<string, string | string[] | undefined>;
      readableEnded?: boolean;
    });

// Events have a few kB. The longest fields that requests can have make about 170, and each transaction adds 0.1.
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Reads at most 1 MiB of a request, verifies its signature and returns its event. Call it before any body parser.
 *
 * @param request a request of Node's `http` or of Express, or a web `Request`
 * @param secret the endpoint's `whsec_…`, or the answer of `/.well-known/jwks.json` for `asymmetric_signature`
 * @throws SignatureVerificationError also if the body is too large, or the connection was closed before its end
 *
 * @example
 * const event = await readEvent(request, process.env.WEBHOOK_SECRET);
 * if (event.type === 'payment.paid') await fulfill(event.data.order_id);
 */
export async function readEvent(
  request: WebhookRequest,
  secret: string | Jwks | undefined,
  options: VerifyOptions = {},
): Promise<Event> {
  const body = await readBody(request);
  const { headers } = request;
  if (typeof secret === 'object') return constructEventWithKeys(body, headers, secret, options);
  return constructEvent(body, headerOf(headers, 'service-signature'), secret, options);
}

/**
 * Verifies the signature of a webhook and returns its event. Pass the raw body.
 *
 * @param rawBody the bytes or text of the request, before any JSON parsing
 * @param header the `Service-Signature` header
 * @param secret the endpoint's `whsec_…`
 * @throws SignatureVerificationError
 *
 * @example
 * const event = await constructEvent(await request.text(), request.headers.get('service-signature'), secret);
 * if (event.type === 'payment.paid') await fulfill(event.data.order_id);
 */
export async function constructEvent(
  rawBody: string | Uint8Array | ArrayBuffer,
  header: string | string[] | null | undefined,
  secret: string | undefined,
  options: VerifyOptions = {},
): Promise<Event> {
  const body = bytesOf(rawBody);
  const { timestamp, signatures } = readHeader(header);
  const key = await keyOf(checkedSecret(secret), 'verify');
  const signed = signedBytes(timestamp, body);

  let matches = false;
  // Web Crypto compares in constant time. Every signature is tried, so that either secret of a rotation works.
  for (const signature of signatures) matches = (await crypto.subtle.verify('HMAC', key, signature, signed)) || matches;
  if (!matches) {
    throw new SignatureVerificationError(
      'No signature matches this body and secret. Use this endpoint’s secret, and pass the raw body.',
    );
  }
  return readFresh(body, timestamp, options);
}

/**
 * The event of a webhook, verified with the public keys of the service instead of a secret. The endpoint must have been
 * created with `asymmetric_signature`. Fetch the keys again if none fits: the service may have a new one.
 *
 * @param rawBody the bytes or text of the request, before any JSON parsing
 * @param headers the headers of the request, as `Headers` or by lower-case name
 * @param jwks the answer of `/.well-known/jwks.json`
 * @throws SignatureVerificationError
 *
 * @example
 * const event = await constructEventWithKeys(await request.text(), request.headers, jwks);
 */
export async function constructEventWithKeys(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookRequest['headers'],
  jwks: Jwks,
  options: VerifyOptions = {},
): Promise<Event> {
  const body = bytesOf(rawBody);
  const read = (name: string) => [headerOf(headers, name) ?? ''].flat().join(' ');
  const id = read('webhook-id');
  const seconds = read('webhook-timestamp');
  const signatures = read('webhook-signature')
    .split(' ')
    .filter((part) => /^v1a,[A-Za-z0-9+/]{86}==$/.test(part))
    .slice(0, 10)
    .map((part) => Uint8Array.from(atob(part.slice(4)), (character) => character.charCodeAt(0)));
  if (!id || !/^\d{1,15}$/.test(seconds) || signatures.length === 0) {
    throw new SignatureVerificationError(
      'The `webhook-signature` header has no `v1a` signature. Create the endpoint with `asymmetric_signature: true`, and pass all headers.',
    );
  }
  const signed = signedBytes(`${id}.${seconds}`, body);
  const keys = await keysAt(jwks, Number(seconds));
  const verdicts = await Promise.all(signatures.map((signature) => isSignedByOne(keys, signature, signed)));
  if (!verdicts.includes(true)) {
    throw new SignatureVerificationError(
      'No key fits this body and signature. Fetch the keys again, and pass the raw body.',
    );
  }
  return readFresh(body, Number(seconds), options);
}

/** The event of a verified body, unless its signature is too old. */
function readFresh(body: Uint8Array, timestamp: number, options: VerifyOptions): Event {
  const tolerance = options.toleranceSeconds ?? 300;
  const ageSeconds = Math.round((options.now ?? new Date()).getTime() / 1000 - timestamp);
  if (tolerance > 0 && ageSeconds > tolerance) {
    throw new SignatureVerificationError(
      `The signature is ${ageSeconds} seconds old; ${tolerance} are allowed. This may be a replay, or a clock is wrong.`,
    );
  }
  if (tolerance > 0 && ageSeconds < -tolerance) {
    throw new SignatureVerificationError(
      `The signature is from ${-ageSeconds} seconds in the future; ${tolerance} are allowed. This machine’s clock is behind.`,
    );
  }
  return JSON.parse(new TextDecoder().decode(body)) as Event;
}

/**
 * Creates a `Service-Signature` header for a body, to test a receiver.
 *
 * @example
 * const header = await generateTestHeader(JSON.stringify(event), secret);
 */
export async function generateTestHeader(
  rawBody: string | Uint8Array,
  secret: string,
  options: {
    /** Unix time in seconds. Default: now. */
    timestamp?: number;
  } = {},
): Promise<string> {
  const timestamp = options.timestamp ?? Math.floor(Date.now() / 1000);
  const signed = signedBytes(timestamp, bytesOf(rawBody));
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', await keyOf(secret, 'sign'), signed));
  return `t=${timestamp},v1=${Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

async function readBody(request: WebhookRequest): Promise<ArrayBuffer> {
  const isWeb = 'bodyUsed' in request;
  if (isWeb ? request.bodyUsed : request.readableEnded)
    throw new SignatureVerificationError('The body is already read. Use `readEvent` before any body parser.');
  if (!isWeb && !(Symbol.asyncIterator in request))
    throw new SignatureVerificationError('Pass the raw request, such as `request.raw` of Fastify.');
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    for await (const chunk of isWeb ? (request.body ?? []) : request) {
      const bytes = bytesOf(chunk);
      size += bytes.length;
      // Nothing more of the request is read.
      if (size > MAX_BODY_BYTES) break;
      chunks.push(bytes);
    }
  } catch (cause) {
    throw cause instanceof SignatureVerificationError
      ? cause
      : new SignatureVerificationError('The connection was closed early.', { cause });
  }
  if (size > MAX_BODY_BYTES) throw new SignatureVerificationError(`The body is larger than ${MAX_BODY_BYTES} bytes.`);
  return new Blob(chunks).arrayBuffer();
}

function headerOf(headers: WebhookRequest['headers'], name: string): string | string[] | null | undefined {
  return headers instanceof Headers ? headers.get(name) : headers[name];
}

function checkedSecret(secret: string | undefined): string {
  if (!secret)
    throw new SignatureVerificationError(
      'Signing secret missing. Pass the endpoint’s `whsec_…`. Is the environment variable set?',
    );
  if (/^sk_(test|live)_/.test(secret))
    throw new SignatureVerificationError(
      'This is an API key. Webhooks are verified with the endpoint’s signing secret, `whsec_…`.',
    );
  return secret;
}

function bytesOf(rawBody: unknown): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === 'string') return encoder.encode(rawBody);
  if (rawBody instanceof ArrayBuffer || ArrayBuffer.isView(rawBody)) {
    // A view shows a part of its buffer.
    const view = rawBody as DataView<ArrayBuffer>;
    return new Uint8Array(view.buffer ?? rawBody, view.byteOffset, view.byteLength);
  }
  throw new SignatureVerificationError(
    rawBody == null
      ? 'Body missing. Use `readEvent` before any body parser.'
      : 'The body is already parsed. Use `readEvent` before any body parser.',
  );
}

function readHeader(header: string | string[] | null | undefined): {
  timestamp: number;
  signatures: Uint8Array<ArrayBuffer>[];
} {
  const text = Array.isArray(header) ? header.join(',') : header;
  if (!text) throw new SignatureVerificationError('The `Service-Signature` header is missing.');
  const parts = text.split(',').map((part) => part.trim());
  const timestamp = parts.find((part) => /^t=\d{1,15}$/.test(part))?.slice(2);
  const signatures = parts
    .filter((part) => /^v1=[0-9a-f]{64}$/.test(part))
    .slice(0, 10)
    .map((part) => fromHex(part.slice(3)));
  if (timestamp === undefined || signatures.length === 0) {
    throw new SignatureVerificationError(
      'The `Service-Signature` header is malformed. Expected `t=<seconds>,v1=<hex>`.',
    );
  }
  return { timestamp: Number(timestamp), signatures };
}

function keyOf(secret: string, use: 'sign' | 'verify'): Promise<ImportedKey> {
  return crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function signedBytes(prefix: string | number, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = encoder.encode(`${prefix}.`);
  const whole = new Uint8Array(start.length + body.length);
  whole.set(start);
  whole.set(body, start.length);
  return whole;
}
