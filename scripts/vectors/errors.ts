import { ERRORS, type ErrorCode } from '@quittance/contract';

/** What a client makes of an answer: the kind of error, and how often it asked. */
interface Expected {
  kind:
    | 'invalid_request'
    | 'authentication'
    | 'permission'
    | 'not_found'
    | 'conflict'
    | 'rate_limit'
    | 'server'
    | 'connection';
  code: string | null;
  param: string | null;
  request_id: string | null;
  retry_after_seconds: number | null;
  /** Requests that reach the server, with two retries allowed. */
  attempts: number;
}

export interface ErrorVector {
  name: string;
  request: { method: 'GET' | 'POST' | 'PATCH' | 'DELETE'; path: string; body?: unknown };
  /** The same answer to every attempt. A status of 0 closes the connection without an answer. */
  answer: { status: number; headers: Record<string, string>; body: string };
  /** Whether each attempt carries the same `Idempotency-Key`. */
  keyed: boolean;
  expect: Expected;
}

const REQUEST_ID = 'req_4fzqzXm2V9pQ7rT1kB3nW8yA';
const GET = { method: 'GET', path: '/v1/payments/pay_1' } as const;
const CREATE = { method: 'POST', path: '/v1/checkout/sessions', body: { amount: '49.00' } } as const;
/** Creates a key, so an answer that was lost must not be asked for again. */
const ONCE = { method: 'POST', path: '/v1/api-keys', body: { mode: 'test' } } as const;

/** Every error of the API, and what proxies and networks make of an answer. */
export function errorVectors(): ErrorVector[] {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  return [...codes.map((code) => apiError(code, GET)), ...created(), ...fromOthers()];
}

function created(): ErrorVector[] {
  const named = (name: string, one: ErrorVector): ErrorVector => ({ ...one, name });
  return [
    named('a field of a new session', withParam(apiError('invalid_checkout_session', CREATE), 'amount')),
    named('the key of another session', apiError('idempotency_conflict', CREATE)),
    named('the server fails while it creates', apiError('internal_error', CREATE)),
    named('the server fails at what is sent once', apiError('internal_error', ONCE)),
    named('too many requests at what is sent once', apiError('rate_limited', ONCE)),
    named(
      'the server fails at a change',
      apiError('internal_error', { method: 'PATCH', path: '/v1/account', body: {} }),
    ),
  ];
}

function fromOthers(): ErrorVector[] {
  const page = { headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' };
  const none = { param: null, request_id: null, retry_after_seconds: null };
  const unreadable = { ...none, code: 'unreadable_answer' };
  const wait = (seconds: number) => ({ 'retry-after': String(seconds) });
  const limited = apiError('rate_limited', GET);
  const closed = { answer: { status: 0, headers: {}, body: '' }, keyed: false };
  return [
    {
      name: 'a page of a proxy',
      request: GET,
      answer: { status: 502, ...page },
      keyed: false,
      expect: { ...unreadable, kind: 'server', attempts: 3 },
    },
    {
      name: 'a page in place of an answer',
      request: GET,
      answer: { status: 200, ...page },
      keyed: false,
      expect: { ...unreadable, kind: 'server', attempts: 3 },
    },
    {
      name: 'a page that says forbidden',
      request: GET,
      answer: { status: 403, ...page },
      keyed: false,
      expect: { ...unreadable, kind: 'permission', attempts: 1 },
    },
    {
      ...limited,
      name: 'a wait of an hour',
      answer: { ...limited.answer, headers: { ...limited.answer.headers, ...wait(3_600) } },
      expect: { ...limited.expect, retry_after_seconds: 3_600, attempts: 1 },
    },
    {
      ...limited,
      name: 'a wait that is no number, though its letter is a digit',
      answer: { ...limited.answer, headers: { ...limited.answer.headers, 'retry-after': '²' } },
      expect: { ...limited.expect, retry_after_seconds: null },
    },
    {
      ...closed,
      name: 'a connection that is closed',
      request: GET,
      expect: { ...none, code: null, kind: 'connection', attempts: 3 },
    },
    {
      ...closed,
      name: 'a connection that is closed while a session is created',
      request: CREATE,
      keyed: true,
      expect: { ...none, code: null, kind: 'connection', attempts: 3 },
    },
    {
      ...closed,
      name: 'a connection that is closed at what is sent once',
      request: ONCE,
      expect: { ...none, code: null, kind: 'connection', attempts: 1 },
    },
  ];
}

/** The answer of the server with this code. */
function apiError(code: ErrorCode, request: ErrorVector['request']): ErrorVector {
  const { status, message } = ERRORS[code];
  const isOnce = request.path === ONCE.path;
  const waits = status === 429 || status === 503 ? 1 : null;
  const mayRetry = status === 429 || (!isOnce && (status >= 500 || code === 'idempotency_in_progress'));
  return {
    name: code,
    request,
    answer: {
      status,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'request-id': REQUEST_ID,
        ...(waits !== null && { 'retry-after': String(waits) }),
      },
      body: JSON.stringify({ error: { code, message, param: null } }),
    },
    keyed: request.method === 'POST' && !isOnce,
    expect: {
      kind: kindOf(status),
      code,
      param: null,
      request_id: REQUEST_ID,
      retry_after_seconds: waits,
      attempts: mayRetry ? 3 : 1,
    },
  };
}

function withParam(one: ErrorVector, param: string): ErrorVector {
  const { error } = JSON.parse(one.answer.body) as { error: object };
  const body = JSON.stringify({ error: { ...error, param } });
  return { ...one, answer: { ...one.answer, body }, expect: { ...one.expect, param } };
}

function kindOf(status: number): Expected['kind'] {
  const kinds: Record<number, Expected['kind']> = {
    401: 'authentication',
    403: 'permission',
    404: 'not_found',
    409: 'conflict',
    429: 'rate_limit',
  };
  return kinds[status] ?? (status >= 500 ? 'server' : 'invalid_request');
}
