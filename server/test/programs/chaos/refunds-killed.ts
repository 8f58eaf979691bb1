import type { Address } from 'viem';
import {
  CONFIRMATIONS,
  type KilledService,
  killWhileSending,
  pause,
  type Sending,
  type SendingKillFigures,
  type SendingKillOptions,
} from './killed-while-sending.ts';

/** When the service is killed: while a refund is created, right after the signature, while it is recorded, or verified. */
const MOMENTS = ['creating', 'signed', 'recording', 'verifying'] as const;
const MAX_REQUEST_MS = 12;
const REFUNDS_PER_PAYMENT = 40;
const REFUND_UNITS = 1_000_000n;

/**
 * Kills the service again and again while a merchant's program creates refunds, signs and records them. Its wallet must
 * be asked once for each, and each must end verified, once.
 */
export function killDuringRefunds(options: SendingKillOptions): Promise<SendingKillFigures> {
  return killWhileSending(options, sendRefunds);
}

async function sendRefunds(service: KilledService): Promise<Sending<(typeof MOMENTS)[number]>> {
  const { chain, usdc, customer, wallet, desk } = service;
  const hashes = new Map<string, string>();
  let payment = '';
  return {
    moments: MOMENTS,
    async send(round, during) {
      if (round % REFUNDS_PER_PAYMENT === 0) payment = await newPayment(service);
      const body = { coin_amount: '1.000000', to: customer };
      const refund = await during('creating', MAX_REQUEST_MS, () =>
        desk.answered('POST', `/payments/${payment}/refunds`, body, `refund ${round}`),
      );
      // The wallet's answer is written down at once, as the dashboard does.
      const hash = await chain.transferErc20({ token: usdc, to: customer, amount: REFUND_UNITS, from: wallet });
      hashes.set(refund.id, hash);
      await during('signed', 0, async () => {});
      await during('recording', MAX_REQUEST_MS, () =>
        desk.answered('POST', `/refunds/${refund.id}/sent`, { tx_hash: hash }),
      );
    },
    final: `select 1 from refunds where status = 'final'`,
    judge: () => judge(service, hashes),
  };
}

/** A new live payment of what its refunds take, paid on the chain. */
async function newPayment({ chain, usdc, desk }: KilledService): Promise<string> {
  const amount = (Number(REFUND_UNITS / 1_000_000n) * REFUNDS_PER_PAYMENT).toFixed(2);
  const session = await desk.answered('POST', '/checkout/sessions', { amount, currency: 'USD' });
  const coin = { pay_asset: 'USDC', pay_network: 'ethereum' };
  const { payment } = await desk.answered('POST', `/public/checkout/sessions/${session.id}/pay`, coin);
  const units = BigInt(payment.amount.replace('.', ''));
  await chain.transferErc20({ token: usdc, to: payment.address as Address, amount: units });
  await chain.mine(CONFIRMATIONS);
  for (;;) {
    const { status, payment: id } = await desk.answered('GET', `/checkout/sessions/${session.id}`);
    if (status === 'paid') return id;
    await pause(50);
  }
}

async function judge({ database }: KilledService, hashes: ReadonlyMap<string, string>) {
  const { rows } = await database.query<{ id: string; status: string; tx_hash: string; events: string[] }>(`
    select r.id, r.status || case when r.verified then ' and verified' else '' end as status, r.tx_hash,
           (select array_agg(e.type order by e.sequence) from events e where e.object_id = r.id) as events
      from refunds r`);
  const isRight = ({ id, status, tx_hash: hash, events }: (typeof rows)[number]) =>
    status === 'final and verified' && hash === hashes.get(id) && events.join() === 'refund.created,refund.final';
  const known = new Set(rows.map(({ id }) => id));
  const { rows: sums } = await database.query(`
    select p.id from payments p
     where (p.refunds ->> 'returned_units')::numeric is distinct from
             (select sum(r.amount_units) from refunds r where r.payment_id = p.id and r.status = 'final')
        or (p.refunds ->> 'claimed_units')::numeric > p.actual_output_units
        or (select count(*) from events e where e.object_id = p.id and e.type = 'payment.refunded') <>
             (p.status = 'refunded')::integer`);
  return {
    planned: hashes.size,
    toSign: hashes.size,
    wrong: [
      ...rows.filter((row) => !isRight(row)).map((row) => JSON.stringify(row)),
      ...[...hashes.keys()].filter((id) => !known.has(id)).map((id) => `${id} was lost`),
    ],
    wrongSums: sums.length,
  };
}
