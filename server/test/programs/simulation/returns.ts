import type { Observer } from './observer.ts';
import { requestWithCrash, type Checkout, type SimNetwork, type World } from './world.ts';

type Data = any;

/** A merchant returns a part of a payment from their own wallet and names the transaction, or gives a refund up. */
export async function returnMoney(world: World): Promise<string> {
  const { random } = world;
  const { merchant } = random.pick(world.merchants);
  const { data } = await merchant.get('/payments', { status: random.pick(['paid', 'paid', 'refund_required']) });
  const arrived = new Set(data.map(({ id }: Data) => id));
  const own = world.checkouts.filter(({ paymentId }) => arrived.has(paymentId));
  if (own.length === 0) return 'has nothing to return';
  const checkout = random.pick(own);
  const { paymentId } = checkout;
  const share = random.pick([{}, { amount: '1.00' }, { amount: `${random.between(0, 60)}.${random.between(10, 99)}` }]);
  const body = { to: checkout.customer.address, ...share };
  const made = await requestWithCrash(world, () =>
    merchant.request('POST', `/payments/${paymentId}/refunds`, { body }),
  );
  if (made.status !== 201) return `${checkout.id} has nothing to return: ${made.status}`;
  checkout.isPlain = false;
  const { id, coin_amount: amount }: Data = made.body.data;
  if (random.chance(0.15)) {
    const given = await requestWithCrash(world, () => merchant.request('POST', `/refunds/${id}/cancel`));
    return `${checkout.id} gives the refund ${id} up: ${given.status}`;
  }
  // A person may change the amount in the wallet.
  const units = BigInt(amount.replace('.', '')) + (random.chance(0.15) ? 1n : 0n);
  const hash = send(world, checkout, units);
  const named = await requestWithCrash(world, () =>
    merchant.request('POST', `/refunds/${id}/sent`, { body: { tx_hash: hash } }),
  );
  return `${checkout.id} returns ${units} as ${id} (${hash.slice(0, 10)}): ${named.status}`;
}

function send(world: World, { network, asset, wallet, customer }: Checkout, amountUnits: bigint): string {
  const hash = world.random.hex(32);
  const movement = { index: 0, asset, from: wallet, to: customer.address, amountUnits, carried: [], meantFor: null };
  world.ledgers[network].send({ hash, movements: [movement], reverted: false, contract: world.random.chance(0.3) });
  return hash;
}

/**
 * The journal of each payment adds up to the smallest unit: what arrived is the sum of its final transfers, and its
 * refunds are together what the payment says, and no more than that.
 */
export async function brokenJournals(_world: World, observer: Observer): Promise<string[]> {
  const rows = await observer.query<{ what: string }>(
    'sim_journals',
    `
    with journals as (
      select p.id, p.status, p.route, p.actual_output_units as arrived,
             coalesce((p.refunds ->> 'claimed_units')::numeric, 0) as claimed,
             coalesce((p.refunds ->> 'returned_units')::numeric, 0) as returned,
             coalesce((p.refunds ->> 'returned_minor')::numeric, 0) as minor,
             (select coalesce(sum(t.amount_units), 0) from transfers t
               where t.payment_id = p.id and t.status = 'final'
                 -- Held until the provider of its order answers, and until it is known that no reorganization took it.
                 and not (t.attributed_by = 'route' and not t.tx_hash = any(p.tx_hashes)
                          and (t.evidence ? 'doubted'
                               or exists (select from route_orders o
                                           where o.payment_id = p.id and o.output_units = t.amount_units
                                             and o.due_at is not null)))) as received,
             (select coalesce(sum(r.amount_units) filter (where r.status not in ('failed', 'cancelled')), 0)
                from refunds r where r.payment_id = p.id) as reserved,
             (select coalesce(sum(r.amount_units) filter (where r.status = 'final'), 0)
                from refunds r where r.payment_id = p.id) as went_back,
             (select coalesce(sum(r.amount_minor) filter (where r.status = 'final'), 0)
                from refunds r where r.payment_id = p.id) as went_back_minor,
             (select count(*) from payment_states s where s.payment_id = p.id and s.status = 'refunded') as refunded
        from payments p
    )
    select 'I15: ' || id || ' says that ' || coalesce(arrived, 0) || ' arrived, and its transfers are ' || received as what
      from journals where arrived is not null and arrived <> received and status in ('paid', 'refund_required')
    union all
    select 'I15: refunds of ' || id || ' are ' || reserved || ' and ' || went_back || ', and it says ' || claimed || ' and ' || returned
      from journals where (reserved, went_back) is distinct from (claimed, returned)
    union all
    select 'I15: ' || id || ' returned ' || went_back_minor || ' cents and says ' || minor
      from journals where went_back_minor <> minor and coalesce(arrived, 0) > 0
    union all
    select 'I15: refunds of ' || id || ' reserve ' || claimed || ' of ' || coalesce(arrived, 0)
      from journals where claimed > coalesce(arrived, 0)
    union all
    select 'I15: ' || id || ' is ' || status || ' and became refunded ' || refunded || ' times'
      from journals where refunded <> (status = 'refunded')::integer`,
  );
  return rows.map(({ what }) => what);
}

/** What counts as returned by the chain was returned there, each transfer for one refund. */
export async function inventedReturns(world: World, observer: Observer): Promise<string[]> {
  const rows = await observer.query<{
    id: string;
    network: SimNetwork;
    tx_hash: string;
    transfer_index: number;
    asset: string;
    to_address: string;
    amount_units: bigint;
    used: number;
  }>(
    'sim_returns',
    `
    select id, network, tx_hash, transfer_index, asset, to_address, amount_units,
           (count(*) over (partition by network, tx_hash, transfer_index))::integer as used
      from refunds where verified`,
  );
  return rows.flatMap(({ id, used, ...refund }) => {
    const tx = world.ledgers[refund.network].find(refund.tx_hash)?.tx;
    const movement = tx?.movements.find(({ index }) => index === refund.transfer_index);
    const isRight =
      tx?.reverted === false &&
      movement?.asset === refund.asset &&
      movement.to === refund.to_address &&
      movement.amountUnits === BigInt(refund.amount_units);
    return isRight && used === 1 ? [] : [`I15: ${id} counts as returned by ${refund.tx_hash}, which does not`];
  });
}
