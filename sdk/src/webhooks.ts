import { type ImportedKey, isSignedByOne, type Jwks, keysAt } from './jwks.ts';
import type { Event, RefundEvent } from './types.gen.ts';

export type { Jwks } from './jwks.ts';
export type { Event, RefundEvent } from './types.gen.ts';

const encoder = new TextEncoder();

/** A webhook failed verification, or must not be acted on; the message says why. */
export class SignatureVerificationError extends Error {
  override readonly name: string = 'SignatureVerificationError';
  /** The HTTP status to answer with. */
  readonly status: number = 400;
}

/** A sample of `/v1/webhooks/test`: its signature is right, and there is no such payment. Answer 200 and do nothing. */
export class SampleEventError extends SignatureVerificationError {
  override readonly name = 'SampleEventError';
  override readonly status = 200;
}

export interface VerifyOptions {
  /** Returns samples like events, with `sample: true`. By default they are a `SampleEventError`. */
  acceptSamples?: boolean;
  /** Maximum age of a signature in seconds. Default 300; 0 accepts any age. */
  toleranceSeconds?: number;
  /** The current time, for tests. */
  now?: Date;
}

/** Verifies without a secret what was sent to one endpoint. */
export interface PublicKeys {
  /** The answer of the endpoint's `jwks_url`. Fetch it from the service that you trust. */
  jwks: Jwks;
  /** The id of the endpoint, `we_…`. What was sent to other endpoints is refused. */
  endpoint: string | undefined;
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
 * @param secret the endpoint's `whsec_…`, or its id and public keys for `asymmetric_signature`
 * @throws SignatureVerificationError also if the body is too large, or the connection was closed before its end. Answer
 *   with its `status`; a sample is one too, so that it is never handled
 * @typeParam E `Event | RefundEvent` at an endpoint that also names types of refunds
 *
 * @example
 * const event = await readEvent(request, process.env.WEBHOOK_SECRET);
 * if (event.type === 'payment.paid') await fulfill(event.data.order_id);
 */
export async function readEvent<E extends Event | RefundEvent = Event>(
  request: WebhookRequest,
  secret: string | PublicKeys | undefined,
  options: VerifyOptions = {},
): Promise<E> {
  const body = await readBody(request);
  const { headers } = request;
  if (typeof secret === 'object') return constructEventWithKeys<E>(body, headers, secret, options);
  return constructEvent<E>(body, headerOf(headers, 'service-signature'), secret, options);
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
export async function constructEvent<E extends Event | RefundEvent = Event>(
  rawBody: string | Uint8Array | ArrayBuffer,
  header: string | string[] | null | undefined,
  secret: string | undefined,
  options: VerifyOptions = {},
): Promise<E> {
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
  return readFresh<E>(body, timestamp, options);
}

/**
 * The event of a webhook, verified with public keys instead of a secret. The endpoint must have been created with
 * `asymmetric_signature`. Fetch the keys again if none fits: the account may have a new one.
 *
 * @param rawBody the bytes or text of the request, before any JSON parsing
 * @param headers the headers of the request, as `Headers` or by lower-case name
 * @param keys the answer of the endpoint's `jwks_url`, and the endpoint's id
 * @throws SignatureVerificationError
 *
 * @example
 * const event = await constructEventWithKeys(await request.text(), request.headers, { jwks, endpoint: 'we_…' });
 */
export async function constructEventWithKeys<E extends Event | RefundEvent = Event>(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookRequest['headers'],
  { jwks, endpoint }: PublicKeys,
  options: VerifyOptions = {},
): Promise<E> {
  const body = bytesOf(rawBody);
  const wanted = checkedEndpoint(endpoint);
  const read = (name: string) => [headerOf(headers, name) ?? ''].flat().join(' ').trim();
  const [id, seconds] = [read('webhook-id'), read('webhook-timestamp')];
  const [, audience, hex = ''] = /^endpoint=(we_\w{1,64}),v1a=([0-9a-f]{128})$/.exec(read('service-audience')) ?? [];
  if (!id || !/^\d{1,15}$/.test(seconds) || audience === undefined) {
    throw new SignatureVerificationError(
      'The `Service-Audience` header has no `v1a` signature. Create the endpoint with `asymmetric_signature: true`, and pass all headers.',
    );
  }
  if (audience !== wanted) {
    throw new SignatureVerificationError(`The webhook was sent to the endpoint ${audience}, not to ${wanted}.`);
  }
  const keys = await keysAt(jwks, Number(seconds));
  if (!(await isSignedByOne(keys, fromHex(hex), signedBytes(`${wanted}.${id}.${seconds}`, body)))) {
    throw new SignatureVerificationError(
      'No key fits this body and signature. Fetch the keys again, and pass the raw body.',
    );
  }
  return readFresh<E>(body, Number(seconds), options);
}

/** The event of a verified body, unless its signature is too old or it is a sample. */
function readFresh<E extends Event | RefundEvent>(body: Uint8Array, timestamp: number, options: VerifyOptions): E {
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
  const event = JSON.parse(new TextDecoder().decode(body)) as E;
  if (event.sample && !options.acceptSamples) {
    throw new SampleEventError('The signature is right. This is a sample, so nothing was done.');
  }
  return event;
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

function checkedEndpoint(endpoint: string | undefined): string {
  if (typeof endpoint === 'string' && /^we_\w{1,64}$/.test(endpoint)) return endpoint;
  throw new SignatureVerificationError(
    'Pass `{ jwks, endpoint }` with the id of your endpoint, `we_…`. Without it, what another endpoint was sent would be accepted.',
  );
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
