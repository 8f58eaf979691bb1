import { HOUR_MS, later } from '../../../src/platform/time.ts';
import { addEndpoint, type World } from './world.ts';

type Data = any;

/** A merchant adds, deletes or enables endpoints, or rotates a secret. The first endpoint is never deleted. */
export async function changeEndpoints(world: World): Promise<string> {
  const { random, receivers } = world;
  const { merchant } = random.pick(world.merchants);
  const own = [...receivers.endpoints.values()].filter(
    (endpoint) => endpoint.accountId === merchant.accountId && !endpoint.deletedAt,
  );
  const act = random.next();
  if (act < 0.35 && own.length < 3)
    return `adds ${await addEndpoint(world, merchant, `https://merchant.example/hooks/${random.hex(3)}`)}`;
  if (act < 0.6 && own.length > 1) {
    const endpoint = random.pick(own.slice(1));
    await merchant.delete(`/webhook-endpoints/${endpoint.id}`);
    endpoint.deletedAt = world.now;
    return `deletes ${endpoint.id}`;
  }
  const endpoint = random.pick(own);
  if (act < 0.8) {
    const { secret } = await merchant.post(`/webhook-endpoints/${endpoint.id}/rotate-secret`, {});
    for (const old of endpoint.secrets) old.until ??= later(world.now, 24 * HOUR_MS);
    endpoint.secrets.unshift({ secret, until: null });
    return `changes the secret of ${endpoint.id}`;
  }
  return enable(world, endpoint.id);
}

async function enable(world: World, id: string): Promise<string> {
  const endpoint = world.receivers.endpoints.get(id);
  const merchant = world.merchants.find((one) => one.merchant.accountId === endpoint?.accountId)?.merchant;
  await merchant?.post(`/webhook-endpoints/${id}/enable`, {});
  endpoint?.enabledAt.push(world.now);
  return `enables ${id}`;
}

/** After healing: requests redelivery of every failed delivery at every remaining endpoint. */
export async function redeliverAll(world: World): Promise<void> {
  for (const { merchant } of world.merchants) {
    for (const endpoint of world.receivers.endpoints.values()) {
      if (endpoint.accountId !== merchant.accountId || endpoint.deletedAt) continue;
      await enable(world, endpoint.id);
      await merchant.post(`/webhook-endpoints/${endpoint.id}/redeliver-failed`, {
        since: endpoint.createdAt.toISOString(),
      });
    }
  }
}

/** Creates, changes or deletes a key; a replaced key must not be valid any more. */
export async function changeKeys(world: World): Promise<string> {
  const { random } = world;
  const { merchant } = random.pick(world.merchants);
  const { dashboard } = merchant;
  const made = await dashboard.request('POST', '/api-keys', { body: { mode: 'live', label: 'a key' } });
  // The last login is too old, so the dashboard requires a new one.
  if (made.status === 401) return 'has been away for too long';
  const { id, secret }: Data = made.body.data;
  const isGood = await merchant.request('GET', '/payments', { token: secret, query: { limit: 1 } });
  if (isGood.status !== 200) world.wrong.push(`I13: a new key was answered ${isGood.status}`);
  if (random.chance(0.5)) {
    const changed: Data = await dashboard.post(`/api-keys/${id}/rotate`, {});
    world.retired.push(secret, changed.secret);
  } else {
    world.retired.push(secret);
  }
  await dashboard.delete(`/api-keys/${id}`);
  const answer = await merchant.request('GET', '/payments', { token: random.pick(world.retired), query: { limit: 1 } });
  if (answer.status !== 401) world.wrong.push(`I13: a key that was deleted or changed was answered ${answer.status}`);
  return `uses up a key: ${answer.status}`;
}

const FIXED = [
  'id',
  'amount',
  'currency',
  'payout_wallet_id',
  'order_id',
  'created_at',
  'expires_at',
  'reference',
  'accepted_assets',
  'checkout_url',
  'metadata',
] as const;

/** Reads an object of the own account, which has not changed, and one of another account, which is not found. */
export async function inspectObjects(world: World): Promise<string> {
  const { random } = world;
  if (world.answered.size === 0) return 'has nothing to look at';
  const { merchant, raw, key } = random.pick([...world.answered.values()]);
  const created: Data = JSON.parse(raw).data;
  const own = await merchant.request('GET', `/checkout/sessions/${created.id}`);
  for (const field of FIXED) {
    if (JSON.stringify(own.body?.data?.[field]) !== JSON.stringify(created[field]))
      world.wrong.push(
        `I1: ${field} of ${created.id} (${key}) was ${JSON.stringify(created[field])} and is ${JSON.stringify(own.body?.data?.[field])}`,
      );
  }
  const checkout = world.checkouts.find((one) => one.id === created.id);
  const payment = await merchant.request('GET', `/payments/${checkout?.paymentId}`);
  const { amount, service_fee: fee, net_settlement: net, receive_address: address }: Data = payment.body?.data ?? {};
  if (cents(fee) + cents(net) !== cents(amount))
    world.wrong.push(`I8: ${checkout?.paymentId} is ${amount}, its fee ${fee} and its net ${net}`);
  if (address !== checkout?.wallet)
    world.wrong.push(`I9: ${checkout?.paymentId} goes to ${address}, not to ${checkout?.wallet}`);

  const stranger = world.merchants.find((one) => one.merchant.accountId !== merchant.accountId)?.merchant;
  const endpoint = [...world.receivers.endpoints.values()].find((one) => one.accountId === merchant.accountId);
  const path = random.pick([
    `/checkout/sessions/${created.id}`,
    `/payments/${checkout?.paymentId}`,
    `/payments/${checkout?.paymentId}/timeline`,
    `/payout-wallets/${created.payout_wallet_id}`,
    `/webhook-endpoints/${endpoint?.id}/deliveries`,
  ]);
  const answer = await stranger?.request('GET', path);
  if (answer?.status !== 404) world.wrong.push(`I10: a stranger's GET ${path} answered ${answer?.status}`);
  const list = await stranger?.request('GET', '/payments', { query: { limit: 100 } });
  const mine = new Set(
    world.checkouts.filter((one) => one.merchant.accountId === merchant.accountId).map((one) => one.paymentId),
  );
  for (const { id } of list?.body?.data ?? []) if (mine.has(id)) world.wrong.push(`I10: a stranger's list holds ${id}`);
  return `looks at ${created.id} and where it should not`;
}

function cents(decimal: string | undefined): number {
  return Math.round(Number(decimal) * 100);
}
