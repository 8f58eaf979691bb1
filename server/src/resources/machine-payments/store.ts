import type { PaymentStatus, ReceiveNetwork } from '@quittance/contract';
import type { Database, Db } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';

/** A credential as it is stored. */
export interface StoredCredential {
  id: string;
  paymentId: string;
  livemode: boolean;
  network: ReceiveNetwork;
  protocol: 'mpp' | 'x402';
  kind: 'transaction' | 'authorization' | 'hash' | 'signature';
  replayKey: Buffer;
  payer: string | null;
  token: string | null;
  nonce: Buffer | null;
  /** The transaction's nonce, on live networks where an account numbers its transactions. `nonce` is an authorization's. */
  accountNonce: bigint | null;
  validBefore: Date | null;
  txHash: string | null;
  /** Sealed; null once it has ended. */
  credential: Buffer | null;
  challengeId: string | null;
  state: 'open' | 'settled' | 'void';
  attempts: number;
  createdAt: Date;
}

const COLUMNS = `id, payment_id, livemode, network, protocol, kind, replay_key, payer, token, nonce,
       account_nonce, valid_before, tx_hash, credential, challenge_id,
       state, attempts, created_at`;

/**
 * Stores a credential unless it is known, or its payer has an open transaction with the same nonce. The unique keys decide
 * between concurrent requests.
 */
export async function insertCredential(
  db: Db,
  one: Omit<StoredCredential, 'state' | 'attempts'>,
  dueAt: Date,
): Promise<boolean> {
  const rows = await db.query(
    'insert_machine_credential',
    `
    insert into machine_credentials (id, payment_id, livemode, network, protocol, kind, replay_key, payer, token,
      nonce, valid_before, tx_hash, credential,
                                     challenge_id, state, due_at, created_at, account_nonce)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'open', $15, $16, $17)
        on conflict do nothing
    returning id`,
    [
      one.id,
      one.paymentId,
      one.livemode,
      one.network,
      one.protocol,
      one.kind,
      one.replayKey,
      one.payer,
      one.token,
      one.nonce,
      one.validBefore,
      one.txHash,
      one.credential,
      one.challengeId,
      dueAt,
      one.createdAt,
      one.accountNonce,
    ],
  );
  return rows.length > 0;
}

export async function findCredential(
  db: Db,
  livemode: boolean,
  network: ReceiveNetwork,
  replayKey: Buffer,
): Promise<StoredCredential | undefined> {
  const [row] = await db.query<StoredCredential>(
    'find_machine_credential',
    `select ${COLUMNS} from machine_credentials where livemode = $1 and network = $2 and replay_key = $3`,
    [livemode, network, replayKey],
  );
  return row;
}

/** A payment's credentials, oldest first. Their number is limited when they are stored. */
export async function findCredentialsOf(db: Db, paymentId: string): Promise<StoredCredential[]> {
  return db.query<StoredCredential>(
    'find_machine_credentials_of',
    `select ${COLUMNS} from machine_credentials where payment_id = $1 order by created_at, id`,
    [paymentId],
  );
}

export async function findCredentialById(db: Db, id: string): Promise<StoredCredential | undefined> {
  const [row] = await db.query<StoredCredential>(
    'find_machine_credential_by_id',
    `select ${COLUMNS} from machine_credentials where id = $1`,
    [id],
  );
  return row;
}

/**
 * Takes due credentials of some lanes and postpones each, so that no other worker takes it meanwhile. After `often`
 * looks a credential is looked at rarely. Each lane has its own limit, and credentials that their payers signed come
 * before those that anyone can make up.
 */
export async function takeDueCredentials(
  db: Db,
  now: Date,
  options: {
    lanes: readonly Pick<StoredCredential, 'network' | 'livemode'>[];
    again: Date;
    rarely: Date;
    often: number;
    limit: number;
  },
): Promise<StoredCredential[]> {
  const { lanes, again, rarely, often, limit } = options;
  return db.query<StoredCredential>(
    'take_due_machine_credentials',
    `
    update machine_credentials set due_at = case when attempts >= $5 then $4::timestamptz
      else $2::timestamptz end, attempts = least(attempts + 1, 32000)
     where id in (select due.id
                    from unnest($6::text[], $7::boolean[]) as lane (network, livemode)
                   cross join lateral (select c.id from machine_credentials c
                                        where c.due_at <= $1 and c.network = lane.network and c.livemode = lane.livemode
                                        order by c.kind in ('hash', 'signature'), c.due_at limit $3
                                          for update skip locked) due)
    returning ${COLUMNS}`,
    [now, again, limit, rarely, often, lanes.map(({ network }) => network), lanes.map(({ livemode }) => livemode)],
  );
}

export async function noteTransaction(db: Db, id: string, txHash: string): Promise<void> {
  await db.query(
    'note_machine_transaction',
    `update machine_credentials set tx_hash = $2 where id = $1 and tx_hash is null`,
    [id, txHash],
  );
}

/** Stores when a credential stops being able to move money, if that was unknown. */
export async function noteValidBefore(db: Db, id: string, validBefore: Date): Promise<void> {
  await db.query(
    'note_machine_valid_before',
    `update machine_credentials set valid_before = $2 where id = $1 and valid_before is null`,
    [id, validBefore],
  );
}

/** Ends a credential and deletes its signature. */
export async function endCredential(db: Db, id: string, state: 'settled' | 'void', at: Date): Promise<void> {
  await db.query(
    'end_machine_credential',
    `update machine_credentials set state = $2, ended_at = $3, due_at = null, credential = null where id = $1 and state = 'open'`,
    [id, state, at],
  );
}

export async function sessionOf(db: Db, paymentId: string): Promise<string> {
  const [row] = await db.query<{ sessionId: string }>(
    'find_session_of_payment',
    `select session_id from payments where id = $1`,
    [paymentId],
  );
  return row && isId('cs', row.sessionId) ? row.sessionId : fail('not_found', { param: 'id' });
}

export async function findEnded(db: Database, paymentIds: readonly string[]): Promise<Set<string>> {
  const open: PaymentStatus[] = ['created', 'pending'];
  const rows = await db.query<{ id: string }>(
    'find_ended_machine_payments',
    `
    select p.id from payments p
     where p.id = any($1)
       and (not p.status = any($2)
            or (exists (select 1 from machine_credentials c where c.payment_id = p.id)
                and not exists (select 1 from machine_credentials c where c.payment_id = p.id and c.state = 'open')))`,
    [paymentIds, open],
  );
  return new Set(rows.map((row) => row.id));
}
