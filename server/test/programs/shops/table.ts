import { setTimeout as pause } from 'node:timers/promises';
import { generateTestHeader } from '@quittance/sdk/webhooks';
import { fromMinor, type PaymentFacts, toMinor } from '../../../../integrations/src/core.ts';
import { CASES, type Case, PAYMENT } from '../../../../integrations/src/cases.ts';
import type { Service } from './service.ts';
import type { OrderState, Shop } from './shop.ts';

const AT_ONCE = 8;

export interface TableFigures {
  ran: number;
  /** The cases whose result differs. */
  wrong: string[];
}

/** Each case of `integrations/src/cases.ts` in a real shop: signed events arrive, and the service says what it knows. */
export async function runTable(shop: Shop, service: Service, secret: string): Promise<TableFigures> {
  service.makeUp(true);
  const cases = CASES.filter(({ medusa }) => shop.hasNotes || medusa !== null);
  const wrong: string[] = [];
  const left = cases.entries();
  const runSome = async () => {
    for (const [number, one] of left) {
      const [found, expected] = [await runCase(one, { shop, service, secret, number }), expectedOf(one, shop)];
      if (JSON.stringify(found) !== JSON.stringify(expected))
        wrong.push(`${one.name}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runSome));
  service.makeUp(false);
  return { ran: cases.length, wrong };
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
  let newest = PAYMENT;
  for (const [at, { session: named = 'cs_1', retry_of, ...changes }] of one.arrives.entries()) {
    const own = sessions[named ?? ''] as string;
    service.say(`/v1/checkout/sessions/${own}`, { id: own, payment: id, retry_of: retry_of ? session : null });
    const state = { ...PAYMENT, ...changes };
    newest = isNewer(state, newest) ? state : newest;
    // A shop that stores what it did is given an old answer too, except of an alert, which each answer repeats while it
    // lasts. One that only asks decides by the newest.
    const asked = shop.hasNotes && newest.settlement_alert === null ? state : newest;
    const metadata = named === 'cs_2' && !shop.hasNotes ? { medusa_collection: 'pay_col_other' } : order.metadata;
    const refunds = changes.refunded_amount === undefined ? [] : [`rf_case${number}`];
    const rest = { id, session: own, order_id: order.code, metadata, refunds };
    service.say(`/v1/payments/${id}`, { ...asked, ...rest });
    service.say(
      `/v1/payments/${id}/refunds`,
      refunds.map((refund) => ({ id: refund, amount: asked.refunded_amount, status: 'final', reason: null })),
    );
    const data = { ...state, ...rest };
    const event = { id: `evt_case${number}_${at}`, type: `payment.${state.status}`, created: state.created_at, data };
    const status = await deliver(shop, event, secret);
    if (status !== 200) throw new Error(`The shop answered ${status} to ${JSON.stringify(event)}`);
    await pause(shop.handlesAfterMs);
  }
  // A customer who comes back then changes nothing.
  if (one.paidBy === undefined) await order.comeBack();
  return resultOf(await order.read());
}

/** A state that the service has later than another one. */
function isNewer(one: PaymentFacts, than: PaymentFacts): boolean {
  const age = ({ created_at, sequence, refunded_amount, settlement_alert }: PaymentFacts) =>
    [created_at, sequence, refunded_amount, settlement_alert === null ? 0 : 1].join();
  return age(one) >= age(than);
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

/** A shop without a place for notes has none either for a refund that begins in the service. */
function expectedOf({ expect: { captured, refunded, reviews }, medusa }: Case, { hasNotes }: Shop) {
  return hasNotes ? { captured, refunded, reviews } : { captured: medusa ?? captured, refunded: '0.00', reviews: [] };
}

function sum(amounts: readonly string[]): string {
  return fromMinor(amounts.reduce((all, amount) => all + toMinor(amount), 0n));
}
