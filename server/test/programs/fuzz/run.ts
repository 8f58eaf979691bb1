import fc from 'fast-check';
import { Pool } from 'undici';
import type { Answered } from '../../support/conformance.ts';
import { judge, type Sent } from './judge.ts';
import { type Draft, drafts } from './requests.ts';
import { isIdSlot } from './values.ts';
import type { World } from './world.ts';

const AT_ONCE = 16;
const BATCH = 400;
const MAX_ANSWER_MS = 20_000;

interface Finding {
  what: string;
  operationId: string;
  status: number;
  times: number;
  /** The first request that caused it, ready to be sent again. */
  example: {
    method: string;
    path: string;
    headers: Record<string, string>;
    body: string | null;
    done: string[];
    answer: string;
  };
}

export interface Result {
  requests: number;
  /** Number of responses by status. */
  statuses: Map<number, number>;
  findings: Finding[];
}

/** Sends this number of requests, the same ones for the same seed, and reports wrong responses. */
export async function fuzz(
  url: string,
  world: World,
  { requests, seed, onProgress }: { requests: number; seed: number; onProgress?: (done: number) => void },
): Promise<Result> {
  const pool = new Pool(url, { connections: AT_ONCE, headersTimeout: MAX_ANSWER_MS, bodyTimeout: MAX_ANSWER_MS });
  const statuses = new Map<number, number>();
  const findings = new Map<string, Finding>();

  for (let done = 0; done < requests; done += BATCH) {
    const batch = fc.sample(drafts, { numRuns: Math.min(BATCH, requests - done), seed: seed + done });
    const queue = batch[Symbol.iterator]();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const draft of queue) await one(draft);
      }),
    );
    onProgress?.(Math.min(requests, done + BATCH));
  }
  await pool.destroy();
  return { requests, statuses, findings: [...findings.values()].toSorted((one, other) => other.times - one.times) };

  async function one(draft: Draft): Promise<void> {
    const sent = write(draft, world);
    const answer = await send(pool, sent);
    if (answer === undefined) return;
    if (typeof answer === 'string') return find(sent, 0, answer, '');

    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const raw = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    if (answer.status < 300) world.meet(raw, draft.credential === 'stranger');
    for (const what of judge(sent, answer)) find(sent, answer.status, what, raw);
  }

  function find(sent: Sent, status: number, what: string, answer: string): void {
    const { operationId } = sent.operation;
    const key = `${operationId} ${status} ${what.replaceAll(/[0-9A-Za-z]{24,}/g, '…')}`;
    const known = findings.get(key);
    if (known) {
      known.times += 1;
      return;
    }
    const { method, path, headers, body, done } = sent;
    findings.set(key, {
      what,
      operationId,
      status,
      times: 1,
      example: {
        method,
        path: path.slice(0, 500),
        headers,
        body: body?.toString().slice(0, 1000) ?? null,
        done,
        answer: answer.slice(0, 500),
      },
    });
  }
}

/** Fills in ids and credentials, and records the request. */
function write(draft: Draft, world: World): Sent {
  let isStrangers = false;
  const path = draft.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = draft.params[name] as { raw?: string; $id: string; pick: number; stranger?: boolean };
    if (value.raw !== undefined) return value.raw;
    const id = world.id(value.$id, value.pick, value.stranger);
    if (draft.credential !== 'stranger' && !draft.operation.isPublic) isStrangers ||= world.isStrangers(id);
    return id;
  });
  const query = draft.query.map(([name, value]) => `${name}=${queryText(value, world)}`).join('&');
  const token = world.token(draft.credential);
  const body =
    draft.rawBody ??
    (draft.body === undefined
      ? null
      : Buffer.from(JSON.stringify(draft.body, (_, value) => filledIn(value, world)) ?? ''));
  return {
    operation: draft.operation,
    method: draft.method,
    path: query ? `${path}?${query}` : path,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(isLogin(draft.credential) && { 'service-mode': 'test' }),
      ...draft.headers,
    },
    body: draft.method === 'GET' || draft.method === 'HEAD' ? null : body,
    isStrangers,
    done: draft.done,
  };
}

function isLogin(credential: Draft['credential']): boolean {
  return credential === 'login' || credential === 'keeper' || credential === 'sacrifice';
}

function filledIn(value: unknown, world: World): unknown {
  if (value === '{receiver}') return world.receiver;
  return isIdSlot(value) ? world.id(value.$id, value.pick) : value;
}

function queryText(value: unknown, world: World): string {
  const raw = (value as { raw?: string } | null)?.raw;
  if (raw !== undefined)
    return raw.replaceAll(/[^\x21-\x7e]|[#&]/gu, (character) => encodeURIComponent(character.toWellFormed()));
  return encodeURIComponent(String(filledIn(value, world)).toWellFormed());
}

/** The response; a sentence if there was none; undefined if the client itself refuses to send the request. */
async function send(pool: Pool, { method, path, headers, body }: Sent): Promise<Answered | string | undefined> {
  try {
    const response = await pool.request({
      method: method as 'GET',
      path,
      headers,
      body,
      signal: AbortSignal.timeout(MAX_ANSWER_MS),
    });
    const type = String(response.headers['content-type'] ?? '');
    if (type.startsWith('text/event-stream')) {
      // A stream has no end, so its start is enough.
      response.body.on('error', () => {}).destroy();
      return { status: response.statusCode, headers: response.headers, body: '' };
    }
    const text = await response.body.text();
    return {
      status: response.statusCode,
      headers: response.headers,
      body: type.startsWith('application/json') && text !== '' ? JSON.parse(text) : text,
    };
  } catch (error) {
    const { code, name, message } = error as Error & { code?: string };
    if (code === 'UND_ERR_INVALID_ARG') return undefined;
    return `no answer: ${name} ${code ?? ''} ${message}`;
  }
}
