import type { ErrorCode, Mode } from '@quittance/contract';
import { newName } from './made-up.ts';

/** An error of the service, with its own message. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ErrorCode | 'offline';
  readonly param: string | null;
  readonly requestId: string | null;

  constructor(
    status: number,
    body: { code: ErrorCode | 'offline'; message: string; param: string | null },
    requestId: string | null,
  ) {
    super(body.message);
    this.status = status;
    this.code = body.code;
    this.param = body.param;
    this.requestId = requestId;
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

export interface Page<Item> {
  data: Item[];
  pagination: { cursor: string | null; has_more: boolean };
}

type Query = Record<string, string | number | boolean | undefined>;

let mode: Mode = localStorage.getItem('mode') === 'live' ? 'live' : 'test';
let signedOut: () => void = () => {};

export function currentMode(): Mode {
  return mode;
}

export function storeMode(next: Mode): void {
  mode = next;
  localStorage.setItem('mode', next);
}

/** Called when any request finds that this login is not valid any more. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener;
}

/** Nothing of one login may remain for the next. */
export function forgetUnanswered(): void {
  unanswered.clear();
}

export async function get<T>(path: string, query: Query = {}): Promise<T> {
  return (await request<{ data: T }>('GET', path, { query })).data;
}

export function getPage<T>(path: string, query: Query = {}): Promise<Page<T>> {
  return request<Page<T>>('GET', path, { query });
}

export async function post<T>(path: string, body: unknown = {}, as: Mode = mode): Promise<T> {
  return (await request<{ data: T }>('POST', path, { body, as })).data;
}

/** What was to be created and was not answered so far, each with the key that it was sent with. */
const unanswered = new Map<string, string>();

/**
 * Creates something. If the answer is lost, the same again is a repetition, also by a form that was closed meanwhile: the
 * service creates nothing more, and gives its first answer.
 */
export async function create<T>(path: string, body: unknown = {}): Promise<T> {
  const wanted = JSON.stringify([mode, path, body]);
  const key = unanswered.get(wanted) ?? newName();
  unanswered.set(wanted, key);
  const { data } = await request<{ data: T }>('POST', path, { body, key });
  unanswered.delete(wanted);
  return data;
}

export async function patch<T>(path: string, body: unknown): Promise<T> {
  return (await request<{ data: T }>('PATCH', path, { body })).data;
}

export async function remove<T>(path: string): Promise<T> {
  return (await request<{ data: T }>('DELETE', path, { body: {} })).data;
}

interface RequestOptions {
  query?: Query;
  body?: unknown;
  /** The mode that is shown, unless the request is for the other one. */
  as?: Mode;
  /** The same for each repetition of one request. */
  key?: string;
}

async function request<T>(
  method: string,
  path: string,
  { query = {}, body, as = mode, key }: RequestOptions,
): Promise<T> {
  const filled = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => [name, String(value)]);
  const search = new URLSearchParams(filled as string[][]).toString();
  const response = await fetch(path + (search ? `?${search}` : ''), {
    method,
    headers: {
      'service-mode': as,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError(
      0,
      { code: 'offline', message: 'Can’t reach the server. Check your connection and try again.', param: null },
      null,
    );
  });
  const requestId = response.headers.get('request-id');
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer as T;
  if (response.status === 401 && !path.startsWith('/dashboard/session/')) signedOut();
  const error = answer?.error ?? { code: 'internal_error', message: 'The answer could not be read.', param: null };
  const message = forPeople(error.message, response.headers.get('retry-after'));
  throw new ApiError(response.status, { ...error, message }, requestId);
}

/** The API names a header to programs. People read what is in it. */
export function forPeople(message: string, retryAfter: string | null): string {
  return message.replace('after `Retry-After` seconds', retryAfter === null ? 'later' : `in ${retryAfter} s`);
}
