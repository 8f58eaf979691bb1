import type { FastifyInstance, InjectOptions } from 'fastify';
import { checkConformance } from './conformance.ts';

export interface TestAnswer {
  status: number;
  headers: Record<string, string>;
  /** Parsed if it is JSON, otherwise the text. */
  body: any;
  raw: string;
}

export interface InjectInput {
  body?: unknown;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string | undefined>;
  /** Sent as `Authorization: Bearer …`. */
  token?: string;
  /** The client's address. */
  from?: string;
}

export type Inject = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT' | 'OPTIONS' | 'HEAD',
  path: string,
  input?: InjectInput,
) => Promise<TestAnswer>;

/** Sends requests to a running service. */
export function injectOver(url: string): Inject {
  return async (method, path, { body, query, headers = {}, token } = {}) => {
    const address = new URL(path, url);
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined) address.searchParams.set(name, String(value));
    const response = await fetch(address, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
          string,
          string
        >),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const raw = await response.text();
    const isJson = /^application\/json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: isJson ? JSON.parse(raw) : raw,
      raw,
    };
  };
}

/** Sends requests as if over HTTP; every response is checked against the contract. */
export function injector(server: FastifyInstance): Inject {
  return async (method, path, { body, query, headers = {}, token, from } = {}) => {
    const request: InjectOptions = {
      method,
      url: path,
      headers: {
        host: 'localhost',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
      },
      ...(query && {
        query: Object.fromEntries(
          Object.entries(query)
            .filter(([, value]) => value !== undefined)
            .map(([name, value]) => [name, String(value)]),
        ),
      }),
      ...(body !== undefined && {
        payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
      ...(from !== undefined && { remoteAddress: from }),
    };
    const response = await server.inject(request);
    const answer: TestAnswer = {
      status: response.statusCode,
      headers: response.headers as Record<string, string>,
      body: /^application\/(problem\+)?json/.test(String(response.headers['content-type'] ?? ''))
        ? JSON.parse(response.body)
        : response.body,
      raw: response.body,
    };
    checkConformance({ method, path }, answer);
    return answer;
  };
}
