import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '../../support/ask.ts';
import { randomFrom } from '../../support/random.ts';
import type { Service } from './service.ts';
import type { Shop, ShopOrder } from './shop.ts';

const CUSTOMERS = 6;
const MAX_PAUSE_MS = 2_000;
/** A shop takes long to start, so most kills are of the two others. */
const SHOP_EVERY = 15;
/** The latest time at which a customer comes back from the checkout. */
const MAX_AWAY_MS = 15_000;
const PATIENCE_MS = 300_000;
/** Longer than a shop takes to handle an event. */
const UNHANDLED_MS = 10_000;

export interface KillFigures {
  killed: { shop: number; service: number; PostgreSQL: number };
  /** How often the shop ended because PostgreSQL did. */
  ended: number;
  orders: number;
  lost: string[];
  capturedTwice: string[];
  /** Orders and payments that were paid, and then were not. */
  lowered: string[];
}

/** Kills the shop, the service and PostgreSQL at random moments, while customers order, pay and come back. */
export async function runKills(shop: Shop, service: Service, kills: number): Promise<KillFigures> {
  const random = randomFrom(1);
  const killed = { shop: 0, service: 0, PostgreSQL: 0 };
  let ended = 0;
  let isOver = false;
  const bought: Bought[] = [];
  const customers = Array.from({ length: CUSTOMERS }, async () => {
    while (!isOver) bought.push(await buy(shop, service, random() * MAX_AWAY_MS));
  });
  const killing = async () => {
    for (let number = 0; number < kills; number += 1) {
      await pause(random() * MAX_PAUSE_MS);
      const target = number % SHOP_EVERY === 0 ? 'shop' : number % 2 === 0 ? 'PostgreSQL' : 'service';
      await (target === 'shop' ? shop.kill() : target === 'service' ? service.kill() : service.killDatabase());
      killed[target] += 1;
      if (!shop.hasEnded()) continue;
      // What starts a merchant's shop starts it again.
      ended += 1;
      await shop.kill();
    }
    isOver = true;
  };
  await Promise.all([killing(), ...customers]);
  await pause(UNHANDLED_MS);
  return { killed, ended, orders: bought.length, ...(await judge(shop, service, bought)) };
}

interface Bought {
  order: ShopOrder;
  session: string;
  /** As the customer saw it. */
  isCaptured: boolean;
}

/** A customer who tries each step again until it succeeds. */
async function buy(shop: Shop, service: Service, awayMs: number): Promise<Bought> {
  const order = await again(() => shop.newOrder());
  const { session } = await again(() => order.checkout());
  await again(() => service.pay(session));
  const [back, until] = [Date.now() + awayMs, Date.now() + PATIENCE_MS];
  while (Date.now() < until) {
    await pause(1_000);
    const state = await order.read().catch(() => undefined);
    if (state && state.captures.length > 0) return { order, session, isCaptured: true };
    if (Date.now() > back) await order.comeBack().catch(() => undefined);
  }
  return { order, session, isCaptured: false };
}

async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + PATIENCE_MS; ; await pause(500)) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

async function judge(shop: Shop, service: Service, bought: readonly Bought[]) {
  const [lost, capturedTwice, lowered]: [string[], string[], string[]] = [[], [], []];
  for (const { order, session, isCaptured } of bought) {
    const { captures, state } = await order.read();
    const { status } = await service.merchant.get(`/checkout/sessions/${session}`);
    const found = `${order.code}, ${session}: ${status}, ${state}, captured ${captures}`;
    if (captures.length > 1) capturedTwice.push(found);
    else if (isCaptured && (captures.join() !== '49.00' || state !== shop.paid || status !== 'paid'))
      lowered.push(found);
    else if (!isCaptured) lost.push(found);
  }
  const events = await ask<{ id: string }>(
    service.databaseUrl,
    `select e.object_id as id
       from events e join events p on p.object_id = e.object_id and p.type = 'payment.paid' and p.sequence < e.sequence
      where e.type in ('payment.created', 'payment.pending', 'payment.settling', 'payment.failed', 'payment.expired')`,
  );
  return { lost, capturedTwice, lowered: [...lowered, ...events.map(({ id }) => `${id} has an event after paid`)] };
}
