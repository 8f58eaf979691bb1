import { type Address, getAddress, toHex } from 'viem';
import { transferCalldata } from '../../support/anvil.ts';
import {
  type KilledService,
  killWhileSending,
  type Sending,
  type SendingKillFigures,
  type SendingKillOptions,
} from './killed-while-sending.ts';

/** When the service is killed: around each request of the browser, right after the signature, or while it is verified. */
const MOMENTS = ['importing', 'sending', 'signed', 'recording', 'verifying'] as const;
const MAX_REQUEST_MS = 12;
/** Of one import and one signature. Two are equal, so that each needs a transfer of its own. */
const AMOUNTS = ['1.000000', '2.500000', '2.500000'];

type Data = any;

/**
 * Kills the service again and again while a browser imports payouts, has its wallet sign them together, and reports the
 * transaction. A second browser wants to send them as well, and its wallet signs whatever it is given. Each payout must
 * be signed once and end verified, once, and the recipients must have what the final payouts add up to.
 */
export function killDuringPayouts(options: SendingKillOptions): Promise<SendingKillFigures> {
  return killWhileSending(options, sendPayouts);
}

async function sendPayouts(service: KilledService): Promise<Sending<(typeof MOMENTS)[number]>> {
  const { chain, usdc, wallet, desk } = service;
  const batcher = await chain.deploy('Batcher');
  await chain.transferErc20({ token: usdc, to: batcher, amount: 500_000_000_000n });
  const hashes = new Map<string, string>();
  const recipients: Address[] = [];

  const send = (payouts: readonly string[], holder: string): Promise<Data> =>
    desk.browsed('POST', '/payouts/send', { payouts, from: wallet, holder });
  const sign = (given: readonly Data[]): Promise<string> => {
    const calls = given.map(({ to, coin_amount: amount }) => ({
      target: usdc,
      data: transferCalldata(to, unitsOf(amount)),
    }));
    return chain.batch(batcher, calls, { from: wallet });
  };

  return {
    moments: MOMENTS,
    async send(round, during) {
      // A recipient of its own, whose balance is what was sent.
      const to = getAddress(toHex(BigInt(round + 1) << 40n, { size: 20 }));
      recipients.push(to);
      const csv = AMOUNTS.map((amount) => `${to},USDC,ethereum,${amount}`).join('\n');
      await during('importing', MAX_REQUEST_MS, () =>
        desk.browsed('POST', '/payouts', { csv, import: `round-${round}` }),
      );
      const planned: Data[] = await desk.browsed('GET', '/payouts?status=planned&limit=100');
      const payouts: string[] = planned.map(({ id }) => id);
      const given = await during('sending', MAX_REQUEST_MS, () => send(payouts, 'browser'));
      // The wallet's answer is written down at once, as the dashboard does.
      const hash = await sign(given.payouts);
      for (const { id } of given.payouts) hashes.set(id, hash);
      await during('signed', 0, async () => {});
      const others = await send(payouts, 'second');
      if (others.payouts.length > 0) await sign(others.payouts);
      await during('recording', MAX_REQUEST_MS, () =>
        desk.browsed('POST', '/payouts/sent', { payouts, tx_hash: hash }),
      );
    },
    final: `select 1 from payouts where status = 'final'`,
    judge: () => judge(service, recipients, hashes),
  };
}

interface StoredPayout {
  id: string;
  status: string;
  tx_hash: string | null;
  other_hashes: string[];
  transfers: number;
}

async function judge(
  { chain, usdc, database }: KilledService,
  recipients: readonly Address[],
  hashes: ReadonlyMap<string, string>,
) {
  const { rows } = await database.query<StoredPayout>(`
    select p.id, p.status || case when p.verified then ' and verified' else '' end as status, p.tx_hash, p.other_hashes,
           (select count(*)::integer from outgoing_transfers o where o.used_by = p.id) as transfers
      from payouts p`);
  const isRight = ({ id, status, tx_hash: hash, other_hashes: others, transfers }: StoredPayout) =>
    status === 'final and verified' && hash === hashes.get(id) && others.length === 0 && transfers === 1;
  const planned = recipients.length * AMOUNTS.length;
  const known = new Set(rows.map(({ id }) => id));
  const { rows: sums } = await database.query<{ to: string; units: string }>(`
    select to_address as to, sum(amount_units)::text as units from payouts where status = 'final' group by to_address`);
  const sumOf = new Map(sums.map(({ to, units }) => [to, BigInt(units)]));
  const due = AMOUNTS.reduce((sum, amount) => sum + unitsOf(amount), 0n);
  let wrongSums = 0;
  for (const to of recipients) {
    const has = await chain.call<bigint>('TestToken', usdc, 'balanceOf', [to]);
    if (has !== due || sumOf.get(to) !== due) wrongSums += 1;
  }
  return {
    planned,
    toSign: recipients.length,
    wrong: [
      ...rows.filter((row) => !isRight(row)).map((row) => JSON.stringify(row)),
      ...[...hashes.keys()].filter((id) => !known.has(id)).map((id) => `${id} was lost`),
      ...(rows.length === planned ? [] : [`${rows.length} instead of ${planned} were planned`]),
    ],
    wrongSums,
  };
}

function unitsOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}
