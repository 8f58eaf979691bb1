import type { FastifyRequest } from 'fastify';
import { canonicalJson } from '../../canonical-json.ts';
import type { Caller } from '../../caller.ts';
import { fail } from '../../errors.ts';
import { clientOf, isRepeated } from '../admission/client.ts';
import { sha256 } from '../../secrets.ts';
import { DAY_MS, later } from '../../time.ts';

const MAX_KEY_LENGTH = 255;
// As in any header. The HTTP parser has not checked requests that the service makes itself (MCP).
const KEY = new RegExp(`^[\\x20-\\x7e\\x80-\\xff]{1,${MAX_KEY_LENGTH}}$`);

/** A request's Idempotency-Key, with everything that decides whether a later request is a replay of it. */
export interface IdempotencyClaim {
  /** The account; for public endpoints the concrete path. */
  accountId: string;
  livemode: boolean;
  key: string;
  fingerprint: Buffer;
  /** The request that claims the key. */
  requestId: string;
  /** The database's real time, which decides whether an older answer has expired. */
  now: Date;
  /** When this answer will expire. */
  expiresAt: Date;
}

/** The answer to a keyed request. */
export interface KeyedAnswer {
  status: number;
  body: Buffer;
  /** The first request that got these bytes; null if it is this one. */
  original: string | null;
}

export interface ClaimInput {
  accountId: string;
  livemode: boolean;
  key: string;
  requestId: string;
  method: string;
  /** The concrete path, so that a key used for another object is a conflict. */
  path: string;
  /** The parsed body as it was sent, or undefined. */
  body: unknown;
  /** The database's real time. */
  now: Date;
}

export function makeClaim({ method, path, body, ...claim }: ClaimInput): IdempotencyClaim {
  const fingerprint = sha256(`${method}\n${path}\n${body === undefined ? '' : canonicalJson(body)}`);
  return { ...claim, fingerprint, expiresAt: later(claim.now, DAY_MS) };
}

/**
 * The claim of a request's key, or null without a key. An unusable key is rejected, because its sender relies on it.
 */
export async function readClaim(
  request: FastifyRequest,
  caller: Caller | null,
  readNow: () => Promise<Date>,
): Promise<IdempotencyClaim | null> {
  const key = readKey(request);
  if (key === null) return null;
  const { method, body, id: requestId } = request;
  const path = concretePath(request);
  const common = { key, requestId, method, path, body };
  if (caller) return makeClaim({ ...common, accountId: caller.id, livemode: caller.livemode, now: caller.realNow });
  return makeClaim({
    ...common,
    // Without an account the key belongs to the object in the path, and to the client that chose it: what one visitor
    // was answered is not for another who chooses the same key (decision 33). Hashed, because addresses are not kept.
    key: sha256(`${clientOf(request).narrow}\n${key}`).toString('base64url'),
    accountId: path,
    livemode: true,
    now: await readNow(),
  });
}

/**
 * The path by the route and its parameters. The target may contain more, such as a fragment, and still name the same
 * object.
 */
function concretePath({ routeOptions, params }: FastifyRequest): string {
  const named = params as Record<string, string>;
  return (routeOptions.url ?? '').replaceAll(/:(\w+)/g, (_text, name: string) => named[name] ?? '');
}

function readKey(request: FastifyRequest): string | null {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return null;
  if (isRepeated(request.raw, 'idempotency-key')) {
    fail('invalid_request', {
      param: 'Idempotency-Key',
      message: '`Idempotency-Key` was sent more than once. Send it once.',
    });
  }
  const key = String(header).trim();
  if (!KEY.test(key)) {
    fail('invalid_request', {
      param: 'Idempotency-Key',
      message: `\`Idempotency-Key\` must have 1 to ${MAX_KEY_LENGTH} characters and no control characters.`,
    });
  }
  return key;
}
