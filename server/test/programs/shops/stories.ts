import type { Service } from './service.ts';
import type { OrderState, Shop, ShopOrder } from './shop.ts';

const PATIENCE_MS = 60_000;
/** Longer than a shop takes to handle an event. */
const UNHANDLED_MS = 10_000;

interface Paid {
  order: ShopOrder;
  session: string;
}

export type Say = (what: string, holds: boolean, found?: unknown) => void;

/** Real orders with real transfers on the local chain. */
export async function runStories(shop: Shop, service: Service, say: Say): Promise<void> {
  const isCapturedOnce = ({ captures, state }: OrderState) => captures.join() === '49.00' && state === shop.paid;
  const order = await shop.newOrder();
  const { session, url } = await order.checkout();
  say('the customer is sent to our checkout', new URL(url).pathname === `/checkout/${session}`, url);
  say('a second click returns the same checkout', (await order.checkout()).session === session);
  await service.pay(session);
  say('a webhook captures the order', await becomes(order, isCapturedOnce), await order.read());
  const found = await order.comeBack();
  say('the customer comes back to the shop', found === 'order' || found.endsWith(`/thanks/${order.code}`), found);
  say('and it is captured once', isCapturedOnce(await order.read()));
  const stranger = await shop.newOrder();
  if (stranger.forge) {
    service.delay(3_000);
    const paid = { id: session, checkout_url: url, collection: 'pay_col_1', amount: '49.00', currency: 'USD' };
    say('the checkout of a paid order, in words of the customer, pays no other', !(await stranger.forge(paid)));
    service.delay(0);
  }
  await refunds(shop, order, service, say);

  const [one, other, ...more] = await Promise.all([1, 2, 3, 4, 5].map(() => shop.newOrder()));
  const opened = await Promise.all([one, other, ...more].map((each) => each!.checkout()));
  await service.pay(opened[0]!.session);
  await service.pay(opened[1]!.session);
  await becomes(one!, isCapturedOnce);
  await becomes(other!, isCapturedOnce);
  const states = await Promise.all([one, other, ...more].map((each) => each!.read()));
  say(
    'of five checkouts two are paid: two orders move',
    states.map(({ captures }) => captures.length).join() === '1,1,0,0,0',
  );
  await refundTwice(shop, { order: one!, session: opened[0]!.session }, service, say);
  await loseRefund({ order: other!, session: opened[1]!.session }, service, say);

  await withoutWebhooks(shop, service, say);

  const switched = await shop.newOrder();
  const unused = await switched.checkout();
  await switched.payOtherwise();
  const before = (await switched.read()).state;
  await service.pay(unused.session);
  if (shop.hasNotes) {
    const asked = ({ notes }: OrderState) => notes.some((note) => note.includes('paid_twice'));
    say('a person is asked about an order that another method paid', await becomes(switched, asked));
  } else {
    await isPaid(service, unused.session);
    await new Promise((resolve) => setTimeout(resolve, UNHANDLED_MS));
  }
  const after = await switched.read();
  say('an order that another method paid is not touched', after.state === before && after.captures.length === 0, after);
}

async function refunds({ refundsWait }: Shop, order: ShopOrder, service: Service, say: Say): Promise<void> {
  const part = await order.refund('10.00', 'One leaf was brown');
  const begun = refundsWait ? 'Pending' : 'Settled';
  say(`a refund of the shop is ${begun}`, stateOf(await order.read(), part.id) === begun);
  await service.returnMoney(part.id, part.link);
  const settled = (id: string) => (state: OrderState) => stateOf(state, id) === 'Settled';
  say('and is settled once its transfer is final', await becomes(order, settled(part.id)), await order.read());
  const rest = await order.refund('39.00', 'The fern died');
  await service.returnMoney(rest.id, rest.link);
  say('so is the rest, and nothing is recorded twice', await becomes(order, settled(rest.id)));
  const { refunds: found, captures } = await order.read();
  say('two refunds of one payment', found.length === 2 && captures.join() === '49.00', found);
}

/** A merchant presses the button twice. */
async function refundTwice(shop: Shop, paid: Paid, service: Service, say: Say): Promise<void> {
  const { order } = paid;
  const clicks = await Promise.allSettled([order.refund('10.00', 'A leaf'), order.refund('10.00', 'A leaf')]);
  const begun = clicks.flatMap((click) => (click.status === 'fulfilled' ? [click.value] : []));
  if (shop.refundsWait) {
    await service.returnMoney(begun[0]!.id, begun[0]!.link);
    const settled = ({ refunds }: OrderState) => refunds.filter(({ state }) => state === 'Settled');
    await becomes(order, (state) => settled(state).length > 0);
    const found = await order.read();
    say('of two clicks no more counts as returned than was sent', settled(found).length === 1, found.refunds);
  } else await sameRefunds('of two clicks each is one refund of the service', paid, service, say);
}

/** The service has begun a refund, and the shop hears nothing. */
async function loseRefund(paid: Paid, service: Service, say: Say): Promise<void> {
  const { order } = paid;
  const before = await order.read();
  service.loseRefunds(true);
  const first = await order.refund('3.00', 'A root').then(
    () => 'a refund',
    () => 'an error',
  );
  service.loseRefunds(false);
  say('a refund whose answer is lost is an error', first === 'an error');
  const lost = await order.read();
  say('and the shop records none', lost.refunds.length === before.refunds.length, lost.refunds);
  await order.refund('3.00', 'A root');
  await sameRefunds('repeated, it is the one that was begun', paid, service, say);
}

/** Each refund of the order in the shop is one of its payment in the service, and there is no other. */
async function sameRefunds(what: string, { order, session }: Paid, service: Service, say: Say): Promise<void> {
  const shown = (refunds: { id: string; amount: string }[]) =>
    refunds.map(({ id, amount }) => `${id} ${amount}`).sort();
  const { payment } = await service.merchant.get(`/checkout/sessions/${session}`);
  const { data } = await service.merchant.get(`/payments/${payment}/refunds`);
  const [inShop, inService] = [shown((await order.read()).refunds), shown(data)];
  say(`${what}: ${inShop.length}`, inShop.length > 0 && inShop.join() === inService.join(), { inShop, inService });
}

/** The service cannot be reached from the shop, so that no event is handled, until the customer or the schedule asks. */
async function withoutWebhooks(shop: Shop, service: Service, say: Say): Promise<void> {
  const isCapturedOnce = ({ captures, state }: OrderState) => captures.join() === '49.00' && state === shop.paid;
  const [returned, gone] = [await shop.newOrder(), await shop.newOrder()];
  const [first, second] = [await returned.checkout(), await gone.checkout()];
  service.reach(false);
  const unreachable = await shop.newOrder();
  const refused = await unreachable.checkout().then(
    () => 'a checkout',
    ({ message }: Error) => message,
  );
  say('without the service the customer is asked to try again', refused.includes('try again in a minute'), refused);
  await service.pay(first.session);
  await service.pay(second.session);
  await isPaid(service, first.session);
  await isPaid(service, second.session);
  await returned.comeBack();
  say('nothing is captured without an answer of the service', (await returned.read()).captures.length === 0);
  service.reach(true);
  await returned.comeBack();
  say('a customer who returns is enough', isCapturedOnce(await returned.read()), await returned.read());
  if (!shop.ask) return;
  await shop.ask();
  say('so is the schedule', isCapturedOnce(await gone.read()), await gone.read());
}

/** A customer pays for an order that the shop has deleted. The event is taken: a person reads of it in the shop's log. */
export async function payDeleted(shop: Shop, service: Service, deliver: (event: object) => Promise<number>) {
  const order = await shop.newOrder();
  const { session } = await order.checkout();
  await shop.delete?.(order);
  await service.pay(session);
  await isPaid(service, session);
  const { payment } = await service.merchant.get(`/checkout/sessions/${session}`);
  const data = await service.merchant.get(`/payments/${payment}`);
  return deliver({ id: 'evt_deleted', type: 'payment.paid', created: data.created_at, data });
}

async function isPaid(service: Service, session: string): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while ((await service.merchant.get(`/checkout/sessions/${session}`)).status !== 'paid' && Date.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 200));
}

function stateOf({ refunds }: OrderState, id: string): string | undefined {
  return refunds.find((refund) => refund.id === id)?.state;
}

async function becomes(order: ShopOrder, fits: (state: OrderState) => boolean): Promise<boolean> {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    if (fits(await order.read())) return true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
}
