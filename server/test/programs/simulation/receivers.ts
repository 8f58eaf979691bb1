import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../../src/outside/http/outbound.ts';
import { later, SECOND_MS } from '../../../src/platform/time.ts';
import type { Random } from './random.ts';

/** An endpoint as its merchant knows it. */
export interface KnownEndpoint {
  id: string;
  accountId: string;
  url: string;
  /** The newest first. An old one is accepted until it expires. */
  secrets: { secret: string; until: Date | null }[];
  createdAt: Date;
  /** Set from the response to its deletion on. */
  deletedAt: Date | null;
  enabledAt: Date[];
}

/** One event as one endpoint received it. */
export interface Receipt {
  endpointId: string;
  eventId: string;
  body: string;
}

/** The merchants' receivers: they fail, hang and are slow, and check everything that they get. */
export interface Receivers {
  /** The share of rejected posts, and of those that are answered late or never. */
  failing: number;
  hanging: number;
  /** This endpoint never answers well. */
  failingEndpoint: string | null;
  endpoints: Map<string, KnownEndpoint>;
  /** Everything received since this was last emptied, accepted or not. */
  fresh: Receipt[];
  /** Everything answered with a 2xx: the event's bytes, by endpoint and event. */
  accepted: Map<string, string>;
  /** The faults of received requests. */
  wrong: string[];
  posts: number;
  /** The outbound connection of one process. */
  outbound(): Outbound;
  /** Sends the answers that are due by now. */
  pass(): void;
  /** The sending process has died. */
  abandon(outbound: Outbound): void;
}

interface InFlight {
  by: Outbound;
  owner: string;
  dueAt: Date;
  startedAt: Date;
  answer(answer: OutboundAnswer): void;
  accepts: boolean;
}

const TIMEOUT_MS = 10 * SECOND_MS;

export function createReceivers(now: () => Date, random: Random): Receivers {
  let onTheirWay: InFlight[] = [];

  /** The merchant's own check: signature, time, and whether it should have arrived at all. */
  function look(request: OutboundRequest): string | null {
    const at = now();
    const endpoint = receivers.endpoints.get(request.owner);
    if (!endpoint) return `I10: an endpoint that was never created (${request.owner}) was posted to`;
    if (endpoint.deletedAt) return `I13: ${endpoint.id} was posted to after its deletion was answered`;
    if (endpoint.url !== request.url) return `I10: ${endpoint.id} was posted to at ${request.url}`;
    const [, time = '', ...signatures] =
      /^t=([0-9]+)((?:,v1=[0-9a-f]{64})+)$/.exec(request.headers['service-signature'] ?? '') ?? [];
    if (Math.abs(at.getTime() / 1000 - Number(time)) > 2)
      return `I4: a signature of ${time} was sent at ${at.toISOString()}`;
    const valid = endpoint.secrets.some(({ secret, until }) => {
      if (until && until < at) return false;
      const expected = createHmac('sha256', secret).update(`${time}.`).update(request.body).digest();
      return (signatures[0] ?? '')
        .split(',v1=')
        .filter(Boolean)
        .some((signature) => timingSafeEqual(expected, Buffer.from(signature, 'hex')));
    });
    return valid ? null : `I4: ${endpoint.id} got a body without a valid signature`;
  }

  async function post(by: Outbound, request: OutboundRequest): Promise<OutboundAnswer> {
    receivers.posts += 1;
    const eventId = request.headers['webhook-id'] ?? '';
    const wrong = look(request);
    if (wrong) receivers.wrong.push(wrong);
    const body = request.body.toString();
    receivers.fresh.push({ endpointId: request.owner, eventId, body });
    const key = `${request.owner} ${eventId}`;
    const known = receivers.accepted.get(key);
    if (known !== undefined && known !== body) receivers.wrong.push(`I4: ${eventId} came with two bodies`);

    const accepts = request.owner !== receivers.failingEndpoint && !random.chance(receivers.failing);
    if (accepts) receivers.accepted.set(key, body);
    if (!random.chance(receivers.hanging))
      return accepts ? { status: 200, body: '', error: null, durationMs: 5 } : refusal(random);
    const latencyMs = random.between(20, 14_000);
    return new Promise(
      (answer) =>
        void onTheirWay.push({
          by,
          owner: request.owner,
          startedAt: now(),
          dueAt: later(now(), Math.min(latencyMs, TIMEOUT_MS)),
          answer,
          accepts,
        }),
    );
  }

  const receivers: Receivers = {
    failing: 0,
    hanging: 0,
    failingEndpoint: null,
    endpoints: new Map(),
    fresh: [],
    accepted: new Map(),
    wrong: [],
    posts: 0,
    outbound() {
      const dropped = new Set<string>();
      const mine: Outbound = {
        post: async (request) =>
          dropped.has(request.owner)
            ? { status: null, body: null, error: 'dropped', durationMs: 0 }
            : post(mine, request),
        objectionTo: () => null,
        drop(owner) {
          dropped.add(owner);
          for (const one of onTheirWay.filter((other) => other.by === mine && other.owner === owner))
            one.answer({ status: null, body: null, error: 'dropped', durationMs: 1 });
          onTheirWay = onTheirWay.filter((other) => other.by !== mine || other.owner !== owner);
        },
        close: async () => {},
      };
      return mine;
    },
    pass() {
      const due = onTheirWay.filter((one) => one.dueAt <= now());
      onTheirWay = onTheirWay.filter((one) => one.dueAt > now());
      for (const { answer, accepts, startedAt, dueAt } of due) {
        const durationMs = dueAt.getTime() - startedAt.getTime();
        // Accepted, but answered too late: for the service it is a failure, and it is sent again.
        if (durationMs >= TIMEOUT_MS) answer({ status: null, body: null, error: 'timeout', durationMs });
        else answer(accepts ? { status: 200, body: '', error: null, durationMs } : { ...refusal(random), durationMs });
      }
    },
    abandon(outbound) {
      onTheirWay = onTheirWay.filter((one) => one.by !== outbound);
    },
  };
  return receivers;
}

function refusal(random: Random): OutboundAnswer {
  if (random.chance(0.3)) return { status: null, body: null, error: 'connection_refused', durationMs: 3 };
  return { status: random.pick([500, 404, 301, 410, 429]), body: 'no', error: null, durationMs: 5 };
}
