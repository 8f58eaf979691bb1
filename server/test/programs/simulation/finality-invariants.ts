import { HOUR_MS, MINUTE_MS } from '../../../src/platform/time.ts';
import type { Observer } from './observer.ts';
import { TAGS, type World } from './world.ts';

interface TransferSeen {
  id: string;
  network: 'ethereum' | 'base';
  tx_hash: string;
  index: number;
  asset: string;
  to_address: string;
  amount_units: bigint;
  block_hash: string;
  session_id: string | null;
  attributed_by: string | null;
  is_alone: boolean;
  is_by_block: boolean;
}

/**
 * A final transfer is on the chain exactly so, and belongs to the session it was meant for. A transfer that became
 * final with its block does not count, so a provider may have invented it.
 */
export async function wronglyFinal(world: World, observer: Observer): Promise<string[]> {
  const rows = await observer.query<TransferSeen>(
    'sim_final',
    `
    select t.id, t.network, t.tx_hash, t.index, t.asset, t.to_address, t.amount_units, t.block_hash, p.session_id,
      t.attributed_by, t.evidence ? 'singleProvider' as is_alone, t.evidence ? 'byBlock' as is_by_block
      from transfers t left join payments p on p.id = t.payment_id where t.status = 'final'`,
  );
  return rows.flatMap((row) => {
    const found = world.ledgers[row.network].find(row.tx_hash);
    // In a world where only the liar answers, the cap limits what it can pay, see `settledAlone`.
    if (world.isLiarAlone && row.is_alone) return [];
    // A transfer without a payment is final by its block, on the report of one provider, which may lie or lag. Once it
    // is assigned it is verified by itself.
    if (row.is_by_block && row.session_id === null) return [];
    if (!found || found.tx.reverted) return [`I5: transfer ${row.id} is final, but ${row.tx_hash} is not on the chain`];
    const movement = found.tx.movements.find((one) => one.index === row.index);
    if (
      !movement ||
      movement.to !== row.to_address ||
      movement.asset !== row.asset ||
      movement.amountUnits !== row.amount_units
    ) {
      return [`I5: transfer ${row.id} is final, but ${row.tx_hash} moves something else`];
    }
    if (found.block.hash !== row.block_hash)
      return [`I5: transfer ${row.id} is final in a block that is not on the chain`];
    if (row.session_id === null || row.session_id === movement.meantFor || row.attributed_by === 'sender') return [];
    // A provider may name less than it owes as a short delivery of any of its orders; this pays nothing.
    const isShort =
      row.attributed_by === 'route' &&
      ![...world.router.conversions.values()].some(
        (one) => one.meantFor === row.session_id && one.request.outputUnits === row.amount_units,
      );
    if (isShort) return [];
    const allowed = world.allowed.get(row.tx_hash);
    return allowed?.has(`${row.session_id} ${movement.from}`) || allowed?.has(`${row.session_id} hand`)
      ? []
      : [
          `attribution: ${row.tx_hash} was meant for ${movement.meantFor} and pays ${row.session_id} by ${row.attributed_by}`,
        ];
  });
}

/** Nothing is final by a head that the chain has never reached. */
export async function earlyFinal({ ledgers, isLiarAlone }: World, observer: Observer): Promise<string[]> {
  if (isLiarAlone) return [];
  const rows = await observer.query<{
    id: string;
    network: 'ethereum' | 'base';
    block_number: bigint;
    rule: { type: string; count?: number };
  }>(
    'sim_hastily_final',
    `
    select id, network, block_number, evidence->'finality' as rule from transfers where status = 'final' and evidence ? 'finality'`,
  );
  return rows.flatMap(({ id, network, block_number: block, rule }) => {
    const depth = ledgers[network].highest - Number(block);
    const needed = rule.type === 'confirmations' ? (rule.count ?? 0) - 1 : TAGS[rule.type as keyof typeof TAGS];
    return depth >= needed
      ? []
      : [
          `I5: transfer ${id} is final by ${rule.type}, but the chain has never been more than ${depth} blocks above it`,
        ];
  });
}

interface SettledAlone {
  id: string;
  network: 'ethereum' | 'base';
  final_at: Date;
  providers: string[];
  evidence: { provider: string; unreachable: Record<string, string>; usd: string } | null;
  worth: bigint;
  block_hash: string;
}

/** Money that one of two providers has settled alone has its evidence, is small, and stays below the hourly cap. */
export async function settledAlone({ ctx, chains }: World, observer: Observer): Promise<string[]> {
  const rows = await observer.query<SettledAlone>(
    'sim_alone',
    `
    select t.id, t.network, t.final_at, t.evidence->'providers' as providers, t.evidence->'singleProvider' as evidence, t.block_hash,
           greatest(case when s.currency = 'USD' then s.amount_minor else 0 end, case when t.asset <> 'ETH'
             then ceil(t.amount_units / 10000) else 0 end)::bigint as worth
      from transfers t join payments p on p.id = t.payment_id join checkout_sessions s on s.id = p.session_id
     where t.status = 'final' and t.evidence ? 'providers' and t.final_at is not null`,
  );
  const wrong: string[] = [];
  const capMinor = ctx.config.singleProviderUsdPerHour * 100;
  const alone = rows.filter(({ network, providers }) => providers.length <= chains[network].providers.length / 2);
  for (const { id, network, final_at: at, evidence, worth } of alone) {
    if (!evidence) {
      wrong.push(`alone: transfer ${id} was settled by one provider without evidence`);
      continue;
    }
    if (worth >= 100_000n) wrong.push(`alone: transfer ${id} of ${worth} cents was settled by one provider`);
    for (const [name, since] of Object.entries(evidence.unreachable)) {
      if (at.getTime() - new Date(since).getTime() < 10 * MINUTE_MS)
        wrong.push(`alone: transfer ${id} was settled without ${name}, which was unreachable since ${since} only`);
      const answered = chains[network].providers.find((provider) => provider.name === name)?.answers ?? [];
      // An answer with an implausible head is a failure.
      const isRecent = (atMs: number) => atMs > at.getTime() - 10 * MINUTE_MS && atMs < at.getTime();
      if (answered.some(({ atMs, isPlausible }) => isPlausible && isRecent(atMs)))
        wrong.push(`alone: transfer ${id} was settled without ${name}, which had answered`);
    }
    const withinHour = alone.filter(
      (other) => other.network === network && other.final_at <= at && at.getTime() - other.final_at.getTime() < HOUR_MS,
    );
    const totalMinor = withinHour.reduce((sum, other) => sum + Math.round(Number(other.evidence?.usd ?? 0) * 100), 0);
    if (totalMinor > capMinor)
      wrong.push(
        `alone: ${totalMinor} cents were settled on ${network} by one provider within an hour, the cap is ${capMinor}`,
      );
    if (BigInt(Math.round(Number(evidence.usd) * 100)) < worth)
      wrong.push(`alone: the evidence of ${id} says ${evidence.usd} for ${worth} cents`);
  }
  return wrong;
}
