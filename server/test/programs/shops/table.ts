import { generateTestHeader } from '@quittance/sdk/webhooks';
import { fromMinor, toMinor } from '../../../../integrations/src/core.ts';
import { CASES, type Case, PAYMENT } from '../../../../integrations/src/cases.ts';
import type { Service } from './service.ts';
import type { OrderState, Shop } from './shop.ts';

/**
 * Each case of `integrations/src/cases.ts` in a real shop: signed events arrive, and the service says what the case says.
 * Returns the cases whose result differs.
 */
export async function runTable(shop: Shop, service: Service, secret: string): Promise<string[]> {
  service.makeUp(true);
  const wrong: string[] = [];
  for (const [number, one] of CASES.entries()) {
    const [found, expected] = [await runCase(one, { shop, service, secret, number }), expectedOf(one)];
    if (JSON.stringify(found) !== JSON.stringify(expected))
      wrong.push(`${one.name}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  }
  service.makeUp(false);
  return wrong;
}

interface Run {
  shop: Shop;
  service: Service;
  secret: string;
  number: number;
}

async function runCase(one: Case, { shop, service, secret, number }: Run) {
  const order = await shop.newOrder();
  const { session } = await order.checkout();
  if (one.total !== undefined && toMinor(one.total) !== 4_900n) await order.change();
  if (one.paidBy !== undefined) await order.payOtherwise();
  if (one.isCanceled) await order.cancel();
  // The sessions of the cases: of this order, of its customer who tries again, and of another order.
  const sessions: Record<string, string> = { cs_1: session, cs_again: `cs_again${number}`, cs_2: `cs_other${number}` };
  const id = `pay_case${number}`;
  for (const [at, { session: named = 'cs_1', retry_of, ...changes }] of one.arrives.entries()) {
    const own = sessions[named ?? ''] as string;
    service.say(`/v1/checkout/sessions/${own}`, { id: own, payment: id, retry_of: retry_of ? session : null });
    const refunds = changes.refunded_amount === undefined ? [] : [`rf_case${number}`];
    const said = { ...PAYMENT, ...changes, id, session: own, order_id: order.code, metadata: shop.metadata, refunds };
    service.say(`/v1/payments/${id}`, said);
    service.say(
      `/v1/payments/${id}/refunds`,
      refunds.map((refund) => ({ id: refund, status: 'final', reason: null })),
    );
    const event = {
      id: `evt_case${number}_${at}`,
      type: `payment.${said.status}`,
      created: said.created_at,
      data: said,
    };
    const status = await deliver(shop, event, secret);
    if (status !== 200) throw new Error(`The shop answered ${status} to ${JSON.stringify(event)}`);
  }
  return resultOf(await order.read());
}

/** Posts an event as the service does. Returns the status of the shop's answer. */
export async function deliver(shop: Shop, event: object, secret: string): Promise<number> {
  const body = JSON.stringify(event);
  const headers = { 'service-signature': await generateTestHeader(body, secret) };
  return (await fetch(shop.webhooks, { method: 'POST', body, headers })).status;
}

/** What the table compares: a shop has no word for a session that closed. */
function resultOf({ captures, refunds, notes }: OrderState) {
  const settled = refunds.filter(({ state }) => state === 'Settled');
  return {
    captured: sum(captures),
    refunded: sum(settled.map(({ amount }) => amount)),
    reviews: notes.map((note) => /^Quittance, \w+, (\w+):/.exec(note)?.[1]),
  };
}

function expectedOf({ expect: { captured, refunded, reviews } }: Case) {
  return { captured, refunded, reviews };
}

function sum(amounts: readonly string[]): string {
  return fromMinor(amounts.reduce((all, amount) => all + toMinor(amount), 0n));
}
