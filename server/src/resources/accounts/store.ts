import type { LoginNetwork } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import type { Brand, MerchantAccount } from './account.ts';

type AccountRow = Omit<MerchantAccount, 'brand' | 'paymaster' | 'testClockOffsetMs'> & {
  brand: Partial<Brand>;
  paymasterHost: string | null;
  paymasterUrl: Buffer | null;
  testClockOffsetMs: bigint;
};

const COLUMNS = `
  id, email, login_network, login_address, name, logo_url, brand, support_email, support_url, receipt_details,
  frame_parents, paymaster_host, paymaster_url, tolerance_bps, wallets_by_login_only, confirm_key_wallets,
  session_defaults, notices, test_clock_offset_ms, created_at`;

function toAccount({ paymasterHost: host, paymasterUrl: sealed, ...row }: AccountRow): MerchantAccount {
  return {
    ...row,
    brand: { accentColor: null, backgroundColor: null, theme: null, corners: null, ...row.brand },
    paymaster: host !== null && sealed !== null ? { host, sealed } : null,
    testClockOffsetMs: Number(row.testClockOffsetMs),
  };
}

export async function findAccount(db: Db, id: string): Promise<MerchantAccount | undefined> {
  const [row] = await db.query<AccountRow>('find_account', `select ${COLUMNS} from accounts where id = $1`, [id]);
  return row && toAccount(row);
}

/**
 * The account, with its row locked until the transaction ends, so that changes of it run one after the other. Rows that
 * refer to it can be inserted meanwhile.
 */
export async function lockAccount(db: Db, id: string): Promise<MerchantAccount | undefined> {
  const [row] = await db.query<AccountRow>(
    'lock_account',
    `select ${COLUMNS} from accounts where id = $1 for no key update`,
    [id],
  );
  return row && toAccount(row);
}

export async function hasAnyAccount(db: Db): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(
    'has_any_account',
    'select exists (select 1 from accounts) as found',
  );
  return row?.found === true;
}

/** Whether the account is the operator's: the first one. */
export async function isOperator(db: Db, id: string): Promise<boolean> {
  const rows = await db.query('is_operator', 'select id from accounts where id = $1 and is_operator', [id]);
  return rows.length > 0;
}

/** Where the operator reads mails. Undefined if they sign in with a wallet, or have no account yet. */
export async function findOperatorEmail(db: Db): Promise<string | undefined> {
  const [row] = await db.query<{ email: string }>(
    'find_operator_email',
    'select email from accounts where is_operator and email is not null',
  );
  return row?.email;
}

export async function findEmailAccount(db: Db, email: string): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>('find_email_account', `select id from accounts where email = $1`, [
    email,
  ]);
  return row?.id;
}

/** The account of this address, created by the first call. Two concurrent calls return the same account. */
export async function findOrCreateEmailAccount(
  db: Db,
  account: { id: string; email: string; now: Date },
): Promise<string> {
  await db.query(
    'create_email_account',
    `
    insert into accounts (id, email, created_at, is_operator, notices)
    values ($1, $2, $3, not exists (select 1 from accounts), '{paid,needs_decision}')
    on conflict (email) do nothing`,
    [account.id, account.email, account.now],
  );
  return (await findEmailAccount(db, account.email)) as string;
}

export async function findWalletAccount(
  db: Db,
  wallet: { network: LoginNetwork; address: string },
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    'find_wallet_account',
    `
    select id from accounts where login_network = $1 and login_address = $2`,
    [wallet.network, wallet.address],
  );
  return row?.id;
}

/** The account of this wallet, created by the first call, for which `isNew` is true. */
export async function findOrCreateWalletAccount(
  db: Db,
  account: { id: string; network: LoginNetwork; address: string; now: Date },
): Promise<{ id: string; isNew: boolean }> {
  const created = await db.query(
    'create_wallet_account',
    `
    insert into accounts (id, login_network, login_address, created_at, is_operator)
      values ($1, $2, $3, $4, not exists (select 1 from accounts))
    on conflict (login_network, login_address) do nothing
    returning id`,
    [account.id, account.network, account.address, account.now],
  );
  return { id: (await findWalletAccount(db, account)) as string, isNew: created.length > 0 };
}

export async function saveAccountSettings(db: Db, account: MerchantAccount): Promise<void> {
  await db.query(
    'save_account_settings',
    `
    update accounts set
      name = $2, logo_url = $3, brand = $4, support_email = $5, support_url = $6,
      frame_parents = $7, tolerance_bps = $8, wallets_by_login_only = $9, session_defaults = $10,
      paymaster_host = $11, paymaster_url = $12, notices = $13, confirm_key_wallets = $14,
      receipt_details = $15
     where id = $1`,
    [
      account.id,
      account.name,
      account.logoUrl,
      JSON.stringify(account.brand),
      account.supportEmail,
      account.supportUrl,
      account.frameParents,
      account.toleranceBps,
      account.walletsByLoginOnly,
      JSON.stringify(account.sessionDefaults),
      account.paymaster?.host ?? null,
      account.paymaster?.sealed ?? null,
      account.notices,
      account.confirmKeyWallets,
      account.receiptDetails,
    ],
  );
}
