// Programs pay while the facilitator loses, lies and repeats: `npm run program -- programs-pay --rounds 200 --at-once
// 1000`. Every round must end paid once if the chain shows it, never otherwise, and never ask a payer twice.
import type { PrivateKeyAccount } from 'viem/accounts';
import { createTestDatabase } from '@quittance/server/testing/database';
import { startTestServer } from '@quittance/server/testing/global-setup';
import type { FacilitatorFault } from '@quittance/server/testing/facilitator';
import { requiredIn, signX402, x402Header } from '@quittance/server/testing/machine-client';
import { type Settle, startMachineShop } from '@quittance/server/testing/machine-shop';
import { publishedFacilitator } from './facilitator.ts';

const rounds = option('--rounds', 20);
const atOnce = option('--at-once', 100);
const PARALLEL = 16;
/** Rounds that only wait cost little. */
const PARALLEL_SILENT = 50;
/** Lifetime of a signature in seconds if nothing sends it. */
const SHORT_LIFE = 12;
const NO_ANSWER = { status: 0, headers: {} as Record<string, string> };
const SETTLED_WITHIN_MS = 10 * 60_000;
/** How often a program that is asked to wait sends its credential. */
const MAX_TRIES = 40;

interface Round {
  status: number;
  asked: number;
}

const sending: FacilitatorFault[] = ['killed', 'lost_answer', 'false_failure', 'twice'];
const silent: FacilitatorFault[] = ['false_success', 'down'];
const wrongs: string[] = [];

/** Eight keys, because a key sends one transaction after the other. */
const manySponsors: Settle = (shop) => {
  const lines = shop.chain.accounts.slice(2).map((sender) => ({
    settle: publishedFacilitator({ ...shop, sender: sender as PrivateKeyAccount }),
    last: Promise.resolve() as Promise<unknown>,
  }));
  let next = 0;
  return (payload, requirements, onBroadcast) => {
    const line = lines[next++ % lines.length] as (typeof lines)[number];
    const settled = line.last.then(
      () => line.settle(payload, requirements, onBroadcast),
      () => line.settle(payload, requirements, onBroadcast),
    );
    line.last = settled.catch(() => {});
    return settled;
  };
};

const { testDatabase: server, stop } = await startTestServer('programs');
const shop = await startMachineShop({
  settle: manySponsors,
  database: await createTestDatabase(server),
  env: { RATE_LIMIT_PER_SECOND: '1000000' },
});
const payer = shop.chain.accounts[1] as PrivateKeyAccount;

try {
  for (const fault of sending.filter(isWanted)) await run(fault, true);
  const looking = lookAtDue();
  for (const fault of silent.filter(isWanted)) await run(fault, false);
  await looking.stop();
  await manyAtOnce();
} finally {
  await shop[Symbol.asyncDispose]();
  await stop();
}
for (const wrong of wrongs) console.log(`WRONG ${wrong}`);
console.log(wrongs.length === 0 ? 'nothing was wrong' : `${wrongs.length} were wrong`);
process.exit(wrongs.length === 0 ? 0 : 1);

async function run(fault: FacilitatorFault, isSent: boolean): Promise<void> {
  const began = performance.now();
  shop.facilitator.usually = fault;
  const before = await shop.balance(shop.wallet);
  const sessions: { id: string; amount: bigint }[] = [];
  await inParallel(rounds, isSent ? PARALLEL : PARALLEL_SILENT, async () => {
    const { id } = await shop.session({ amount: '5.00' });
    const first = await request(id);
    const [accepted] = requiredIn(first as never).accepts;
    sessions.push({ id, amount: BigInt(accepted.amount) });
    const life = isSent ? {} : { validBefore: String(Math.floor(Date.now() / 1000) + SHORT_LIFE) };
    const payload = await signX402(accepted, payer, life);
    const round = await persist(id, payload, isSent);
    if (round.asked > 0) wrongs.push(`${fault} ${id}: the payer was asked ${round.asked} times more`);
    if (isSent && round.status !== 200) wrongs.push(`${fault} ${id}: ended with ${round.status}`);
  });
  shop.facilitator.usually = 'none';
  const income = (await shop.balance(shop.wallet)) - before;
  const expected = isSent ? sessions.reduce((sum, one) => sum + one.amount, 0n) : 0n;
  if (income !== expected) wrongs.push(`${fault}: the wallet got ${income} instead of ${expected}`);
  for (const { id } of sessions) await judge(fault, id, isSent);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${fault}: ${rounds} rounds, ${isSent ? 'all paid once' : 'none paid'}, ${seconds} s`);
}

/** Sends the same credential until it has ended, like a client that was asked to wait. */
async function persist(id: string, payload: unknown, isSent: boolean): Promise<Round> {
  const headers = { 'payment-signature': x402Header(payload), prefer: isSent ? 'wait=25' : 'wait=0' };
  const giveUp = Date.now() + 120_000;
  let asked = 0;
  while (Date.now() < giveUp) {
    const { status } = await request(id, headers);
    if (status === 200) return { status, asked };
    if (status === 402) {
      // Only a void signature allows another payment request.
      const [credential] = await shop.credentials(id);
      return { status, asked: asked + (credential?.state === 'void' && !isSent ? 0 : 1) };
    }
    if (status !== 202) return { status, asked };
    const plain = await request(id);
    // Between the two requests the payment may have become paid, and never payable.
    if (plain.status === 402 && (await shop.credentials(id))[0]?.state !== 'void') asked += 1;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return { status: 0, asked };
}

async function judge(fault: FacilitatorFault, id: string, isSent: boolean): Promise<void> {
  const walk = (await shop.walk(id)).join(' ');
  const transfers = (await shop.rulesOf(id)).length;
  const [expected, count] = isSent ? ['created pending paid', 1] : ['created pending', 0];
  if (walk !== expected || transfers !== count) wrongs.push(`${fault} ${id}: ${walk}, ${transfers} transfers`);
}

/** The job looks at open credentials every few seconds; here every second. */
function lookAtDue(): { stop(): Promise<void> } {
  let isOver = false;
  const loop = (async () => {
    while (!isOver) {
      await shop.app.ctx.db.query(
        'test_due',
        `update machine_credentials set due_at = created_at
          where id in (select id from machine_credentials where state = 'open' and valid_before < $1 for update skip locked)`,
        [new Date()],
      );
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  })();
  return {
    stop() {
      isOver = true;
      return loop;
    },
  };
}

function isWanted(fault: FacilitatorFault): boolean {
  const at = process.argv.indexOf('--faults');
  return at === -1 || (process.argv[at + 1] ?? '').split(',').includes(fault);
}

async function manyAtOnce(): Promise<void> {
  const one = await shop.session({ amount: '7.00' });
  const [accepted] = requiredIn((await request(one.id)) as never).accepts;
  const payload = await signX402(accepted, payer);
  await burst('identical credentials for one session', [one.id], () => [one.id, payload]);

  const two = await shop.session({ amount: '7.00' });
  const [offered] = requiredIn((await request(two.id)) as never).accepts;
  const payloads = await Promise.all(Array.from({ length: atOnce }, () => signX402(offered, payer)));
  await burst('distinct credentials for one session', [two.id], (at) => [two.id, payloads[at]]);

  const sessions: { id: string; payload: unknown }[] = [];
  await inParallel(atOnce, PARALLEL, async () => {
    const { id } = await shop.session({ amount: '9.00' });
    const [own] = requiredIn((await request(id)) as never).accepts;
    sessions.push({
      id,
      payload: await signX402({ ...own }, payer, { validBefore: String(Math.floor(Date.now() / 1000) + 600) }),
    });
  });
  await burst(
    'credentials, each for a session of its own',
    sessions.map(({ id }) => id),
    (at) => [sessions[at]?.id ?? '', sessions[at]?.payload],
  );
}

async function burst(name: string, ids: string[], pick: (at: number) => [string, unknown]): Promise<void> {
  const began = performance.now();
  const before = await shop.balance(shop.wallet);
  const answers = await Promise.all(
    Array.from({ length: atOnce }, async (_, at) => {
      const [id, payload] = pick(at);
      return await payPatiently(id, x402Header(payload));
    }),
  );
  await until(async () => (await Promise.all(ids.map((id) => shop.walk(id)))).every((walk) => walk.at(-1) === 'paid'));
  const settled = (await Promise.all(ids.map((id) => shop.rulesOf(id)))).map((rules) => rules.length);
  const [fewest, most] = [Math.min(...settled), Math.max(...settled)];
  if (fewest !== 1 || most !== 1) wrongs.push(`${name}: the sessions have ${fewest} to ${most} transfers`);
  const income = (await shop.balance(shop.wallet)) - before;
  const asked = answers.flat();
  const statuses = [...Map.groupBy(asked, (status) => status)].map(([status, all]) => `${status}: ${all.length}`);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(
    `${atOnce} ${name}: ${ids.length} settled, ${income} units, answers ${statuses.join(', ')}, ${seconds} s`,
  );
}

/**
 * Sends the same credential again when it was asked to wait or lost its connection, as a program does. Returns the
 * status of each answer, 0 for none.
 */
async function payPatiently(id: string, header: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { status, headers } = await request(id, { 'payment-signature': header }).catch(() => NO_ANSWER);
    statuses.push(status);
    if (status !== 429 && status !== 0) break;
    await new Promise((resolve) => setTimeout(resolve, Number(headers['retry-after'] ?? 1) * 1_000));
  }
  return statuses;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const giveUp = Date.now() + SETTLED_WITHIN_MS;
  while (!(await isTrue())) {
    if (Date.now() > giveUp) return void wrongs.push('not everything was paid in time');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function request(id: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${shop.app.url}/checkout/${id}/pay`, { headers });
  await answer.arrayBuffer();
  return { status: answer.status, headers: Object.fromEntries(answer.headers) };
}

async function inParallel(count: number, parallel: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

function option(name: string, otherwise: number): number {
  const at = process.argv.indexOf(name);
  return at === -1 ? otherwise : Number(process.argv[at + 1]);
}
