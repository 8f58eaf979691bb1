import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { newSecretKey } from '../../../src/platform/http/admission/credentials.ts';
import { newId } from '../../../src/platform/ids.ts';
import { sha256 } from '../../../src/platform/secrets.ts';
import type { Ground } from '../chaos/ground.ts';
import { newClient, type ReleaseName, type Target } from './load.ts';

const PAY_EVERY_MS = 100;
const LOOK_EVERY_MS = 250;
const PAID_WITHIN_MS = 60_000;

/** Payments in live mode on local chains, whichever release read them. */
export interface LiveFigures {
  payments: number;
  paid: string[];
  /** Sessions whose money was sent and that did not end paid. */
  unpaid: string[];
  /** Payments by the release that held their network's lease when they became paid. */
  read: Record<ReleaseName, number>;
}

interface Order {
  session: string;
  network: string;
}

/** Customers who pay on chain, and the account that they pay. */
export interface LiveShop extends AsyncDisposable {
  figures: LiveFigures;
  /** Creates the wallets and the webhook endpoint of the account. */
  open(target: Target, receiverUrl: string): Promise<void>;
  /** Resolves once a process reads every network. A holder of a lease that is seen later is this release. */
  allRead(nextReader: ReleaseName): Promise<void>;
  /** Pays until the load is over, then until all is paid. */
  run(target: Target): Promise<void>;
}

export async function startLiveShop(databaseUrl: string, ground: Ground): Promise<LiveShop> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const key = newSecretKey(true);
  const figures: LiveFigures = { payments: 0, paid: [], unpaid: [], read: { previous: 0, new: 0 } };
  const releaseOf = new Map<string, ReleaseName>();
  const open = new Map<string, Order>();
  const read = new Set<string>();
  let deadlineMs: number | undefined;
  let newHolder: ReleaseName = 'previous';
  let wallets: { id: string; asset: string; network: string; address: string }[] = [];

  return {
    figures,
    async allRead(nextReader) {
      const networks = new Set(ground.wallets.map(({ network }) => network));
      while ([...networks].some((network) => !read.has(network))) await pause(LOOK_EVERY_MS);
      newHolder = nextReader;
    },
    async open(target, receiverUrl) {
      await insertLiveKey(database, key);
      const { call } = newClient(target, key);
      await call('/v1/webhook-endpoints', { url: receiverUrl, events: ['payment.paid'] });
      wallets = await Promise.all(
        ground.wallets.map(async (wallet) => (await call('/v1/payout-wallets', wallet)).data),
      );
    },
    async run(target) {
      const [paying, looking, mining] = [payInTurn(target), look(target), mine(target)];
      await paying;
      await ground.settle();
      await Promise.all([looking, mining]);
      for (const { session } of open.values()) figures.unpaid.push(`${session} was paid on chain and is not paid`);
    },
    [Symbol.asyncDispose]: () => database.end(),
  };

  async function payInTurn(target: Target): Promise<void> {
    while (!target.isOver()) {
      const { call } = newClient(target, key);
      const { id, asset, network, address } = wallets[randomInt(wallets.length)] as (typeof wallets)[number];
      const amount = `${randomInt(10, 100)}.${randomInt(10, 100)}`;
      const session = (await call('/v1/checkout/sessions', { amount, payout_wallet_id: id }))?.data.id as string;
      const chosen =
        session &&
        (await call(`/v1/public/checkout/sessions/${session}/pay`, { pay_asset: asset, pay_network: network }));
      if (chosen) {
        await ground.send({ asset, network, address, payment: chosen.data.payment });
        figures.payments += 1;
        open.set(session, { session, network });
      }
      await pause(PAY_EVERY_MS);
    }
  }

  async function mine(target: Target): Promise<void> {
    while (!target.isOver() || open.size > 0) {
      await ground.mine();
      await pause(LOOK_EVERY_MS);
      if (isTooLate(target)) return;
    }
  }

  async function look(target: Target): Promise<void> {
    while (!target.isOver() || open.size > 0) {
      const cursors = await database.query<{ network: string; holder: string }>(
        `select network, holder from chain_cursors where pass = 'first' and holder is not null`,
      );
      for (const { network, holder } of cursors.rows) {
        read.add(network);
        if (!releaseOf.has(holder)) releaseOf.set(holder, newHolder);
      }
      const readers = new Map(cursors.rows.map(({ network, holder }) => [network, releaseOf.get(holder)]));
      const { rows } = await database.query<{ session: string }>(
        `select session_id as session from payments where status = 'paid' and session_id = any ($1)`,
        [[...open.keys()]],
      );
      for (const { session } of rows) await record(target, session, readers.get(open.get(session)?.network ?? ''));
      if (isTooLate(target)) return;
      await pause(LOOK_EVERY_MS);
    }
  }

  /** A payment counts once the API shows it as paid. */
  async function record(target: Target, session: string, reader: ReleaseName | undefined): Promise<void> {
    open.delete(session);
    const shown = await newClient(target, key).call(`/v1/checkout/sessions/${session}`);
    if (shown?.data.status === 'paid') figures.paid.push(shown.data.payment);
    else figures.unpaid.push(`${session} is ${shown?.data.status}`);
    if (reader) figures.read[reader] += 1;
  }

  function isTooLate(target: Target): boolean {
    return target.isOver() && performance.now() > (deadlineMs ??= performance.now() + PAID_WITHIN_MS);
  }
}

/** A live key for the demo account, with the columns that every release has. */
async function insertLiveKey(database: pg.Client, key: string): Promise<void> {
  await database.query(
    `
    insert into api_keys (id, account_id, livemode, label, secret_hash, last4, created_at)
    select $1, account_id, true, 'side by side', $2, $3, created_at from api_keys limit 1`,
    [newId('key'), sha256(key), key.slice(-4)],
  );
}
