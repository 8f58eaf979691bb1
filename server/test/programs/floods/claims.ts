import type { Address } from 'viem';
import { claimsJob } from '../../../src/settlement/attribution/verify-claims.ts';
import { later, DAY_MS } from '../../../src/platform/time.ts';
import type { Settlement } from '../../support/settlement.ts';
import { type Flood, measureGrowth } from './flood.ts';

const FULL_SIZE = 40_000;
const CLAIMS_PER_PAYMENT = 8;
/** 0x and 2,048 bytes in hex: the maximum signature length of the API. */
const SIGNATURE_LENGTH = 4_098;
// A batch of rows, the garbage of one collection, and what PostgreSQL's driver buffers.
const MAX_GROWTH_MIB = 100;
// A statement may take at most half a minute.
const ROWS_AT_ONCE = 2_000;
const signal = new AbortController().signal;

/**
 * Claims for one transaction that was not broadcast yet, as many as the API's limits allow. Then the transaction, with an
 * honest payment beside it.
 */
export const floodWithClaims: Flood = async (shop, { size = FULL_SIZE, say = () => {} } = {}) => {
  const attacker = shop.chain.accounts[5]?.address as Address;
  const honest = await shop.checkout();
  const template = await shop.checkout();
  const poison = await shop.send(1n, { from: attacker, mine: false });

  say(`${size} checkouts`);
  await cloneSessions(shop, template.id, size);
  say(`${size} claims of ${SIGNATURE_LENGTH} characters, ${CLAIMS_PER_PAYMENT} of each payment`);
  await insertClaims(shop, poison, attacker, size);

  const before = await cursor(shop);
  say('the transaction, and an honest payment');
  const reading = await measureGrowth(async () => {
    await shop.send(honest.amountUnits);
    await shop.settle();
  });
  const status = (await shop.payment(honest.id)).status;
  const moved = Number((await cursor(shop)) - before);

  say('the worker processes the claims');
  const working = await measureGrowth(async () => {
    await makeDue(shop);
    while ((await claimsJob.run(shop.ctx, signal, () => {})) === 'more');
  });
  const [left] = await shop.ctx.db.query<{ claims: number }>(
    'flood_left',
    `
    select count(*)::int as claims from signed_claims`,
  );

  const failures = [
    ...(status === 'paid' ? [] : [`the honest payment is ${status}`]),
    ...(moved > 0 ? [] : ['the cursor did not move']),
    ...(reading.grewMiB <= MAX_GROWTH_MIB
      ? []
      : [`memory grew by ${reading.grewMiB} MiB while the transaction was read`]),
    ...(working.grewMiB <= MAX_GROWTH_MIB
      ? []
      : [`memory grew by ${working.grewMiB} MiB while the claims were processed`]),
  ];
  return {
    figures: {
      claims: size,
      rssBeforeMiB: reading.beforeMiB,
      readingGrewMiB: reading.grewMiB,
      readingTookMs: reading.tookMs,
      cursorMovedBlocks: moved,
      workingGrewMiB: working.grewMiB,
      workingTookMs: working.tookMs,
      claimsLeft: left?.claims ?? -1,
    },
    failures,
  };
};

/** Copies of one session and its payment, as a stranger opens them through a payment link. */
async function cloneSessions(shop: Settlement, sessionId: string, count: number): Promise<void> {
  await shop.ctx.db.query(
    'flood_sessions',
    `
    insert into checkout_sessions
    select (jsonb_populate_record(s, jsonb_build_object(
             'id', 'cs_flood' || n, 'payment_id', 'pay_flood' || n, 'reference', '\\x' || md5('a' || n) || md5('b' || n)))).*
      from checkout_sessions s, generate_series(1, $2::int) n where s.id = $1`,
    [sessionId, count],
  );
  await shop.ctx.db.query(
    'flood_payments',
    `
    insert into payments
    select (jsonb_populate_record(p, jsonb_build_object('id', 'pay_flood' || n, 'session_id', 'cs_flood' || n))).*
      from payments p, generate_series(1, $2::int) n where p.session_id = $1`,
    [sessionId, count],
  );
}

/**
 * The maximum within the limits: eight claims per payment, each unverified and of the maximum length, from any contract
 * wallet.
 */
async function insertClaims(shop: Settlement, txHash: string, sender: string, count: number): Promise<void> {
  const now = await shop.ctx.db.now();
  for (let first = 0; first < count; first += ROWS_AT_ONCE)
    await shop.ctx.db.query(
      'flood_claims',
      `
    insert into signed_claims (payment_id, livemode, network, tx_hash, signer, signature, signature_sha256,
      verified_at, due_at, created_at, expires_at)
    select 'pay_flood' || (n % $7::int + 1), true, 'ethereum', $3,
           -- The limit allows eight claims of the sender that wait for verification, and eight verified ones.
           case when n < 16 then $4 else '0x' || substring(md5('x' || n) || md5('y' || n) for 40) end,
           case when n >= 8 then '0x' || repeat(md5('s' || n), ${(SIGNATURE_LENGTH / 32) | 0}) end, case when n >= 8
             then md5('d' || n) else '' end,
           case when n < 8 then $5::timestamptz end, $5, $5, $6
      from generate_series($1::int, $2::int) n`,
      [
        first,
        Math.min(first + ROWS_AT_ONCE, count) - 1,
        txHash,
        sender,
        now,
        later(now, 31 * DAY_MS),
        Math.ceil(count / CLAIMS_PER_PAYMENT),
      ],
    );
}

async function makeDue(shop: Settlement): Promise<void> {
  await shop.ctx.db.query('flood_due', 'update signed_claims set due_at = created_at where due_at is not null');
}

async function cursor(shop: Settlement): Promise<bigint> {
  const [row] = await shop.ctx.db.query<{ blockNumber: bigint | null }>(
    'flood_cursor',
    `select block_number from chain_cursors where network = 'ethereum' and pass = 'first'`,
  );
  return row?.blockNumber ?? 0n;
}
