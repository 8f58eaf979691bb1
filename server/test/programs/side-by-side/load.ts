import { randomInt } from 'node:crypto';
import type { ReleaseProcess } from './process.ts';

export type ReleaseName = 'previous' | 'new';

const REQUEST_TIMEOUT_MS = 30_000;
/** Every fifth customer pays in another coin, so that conversions are included. */
const CONVERTED_SHARE = 5;

/** The clients' results. Any response except 2xx is an error, because every request is valid and within the limits. */
export interface Figures {
  requests: number;
  payments: number;
  errors: string[];
  /** Sessions that were paid in full and are not `paid`. */
  unpaid: string[];
  /** Payments whose events must reach the merchant. */
  paid: string[];
}

/** The releases that serve now, and what their clients met. */
export interface Target {
  releases(): readonly ReleaseProcess<ReleaseName>[];
  figures: Record<ReleaseName, Figures>;
  isOver(): boolean;
}

/** Each call goes to either release. */
export function newClient({ releases, figures }: Target, key: string) {
  // A separate client address, because limits by client are not tested here.
  const client = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
  let tally = figures.new;
  return {
    call(path: string, body?: object): Promise<any> {
      const all = releases();
      const release = all[randomInt(all.length)] as ReleaseProcess<ReleaseName>;
      tally = figures[release.name];
      return request(release, path, { body, key, client }, tally);
    },
    /** Of the release that was called last. */
    tally: () => tally,
  };
}

/** One customer and one merchant after the other in test mode, until stopped. */
export async function runClient(target: Target, key: string): Promise<void> {
  while (!target.isOver()) {
    const { call, tally } = newClient(target, key);
    const session = await call('/v1/checkout/sessions', { amount: `${randomInt(10, 100)}.${randomInt(10, 100)}` });
    if (!session) continue;
    const id: string = session.data.id;
    await call(`/checkout/${id}`);
    await call(`/v1/public/checkout/sessions/${id}`);
    const isConverted = randomInt(CONVERTED_SHARE) === 0;
    const coin = isConverted
      ? { pay_asset: 'ETH', pay_network: 'ethereum', refund_address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D' }
      : { pay_asset: 'USDC', pay_network: 'base' };
    if (!(await call(`/v1/public/checkout/sessions/${id}/pay`, coin))) continue;
    await call(`/checkout/${id}`);
    if (!(await call(`/v1/public/checkout/sessions/${id}/test`, { action: 'paid' }))) continue;

    const settling = tally();
    settling.payments += 1;
    const shown = await call(`/v1/checkout/sessions/${id}`);
    if (shown?.data.status === 'paid') settling.paid.push(shown.data.payment);
    else settling.unpaid.push(`${id} is ${shown?.data.status}`);
    await call('/v1/payments?limit=20');
  }
}

/** The body of a successful response; otherwise undefined, and the error is recorded. */
async function request(
  release: ReleaseProcess,
  path: string,
  { body, key, client }: { body: object | undefined; key: string; client: string },
  tally: Figures,
): Promise<any> {
  tally.requests += 1;
  const isPublic = path.startsWith('/checkout/') || path.startsWith('/v1/public/');
  try {
    const response = await fetch(`${release.url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        'x-forwarded-for': client,
        ...(!isPublic && { authorization: `Bearer ${key}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const text = await response.text();
    if (response.ok) return path.startsWith('/checkout/') ? text : JSON.parse(text);
    tally.errors.push(`${path} answered ${response.status}: ${text.slice(0, 300)}`);
  } catch (error) {
    tally.errors.push(`${path} failed: ${(error as Error).message}`);
  }
  return undefined;
}
