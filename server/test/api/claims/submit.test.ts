import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Transfer } from '../../../src/outside/chains/chain.ts';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { later, MINUTE_MS } from '../../../src/platform/time.ts';
import { receive } from '../../../src/settlement/attribution/attribute-transfer.ts';
import { prune } from '../../../src/retention/prune.ts';
import { claimsJob } from '../../../src/settlement/attribution/verify-claims.ts';
import { settleTransfer } from '../../../src/settlement/outcome/settle.ts';
import { findTransfersByHash } from '../../../src/settlement/records/transfer-store.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const SOLANA_WALLET = '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs';
const CONTRACT = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const LONG_SIGNATURE = `0x${'ab'.repeat(500)}`;

const contractWallets = {
  isSigned: vi.fn(async (_signed: { address: string; message: string; signature: string }, _asker: object) => false),
};
let app: TestApp;
let merchant: Merchant;
let made = 0;

beforeAll(async () => {
  app = await startApp({ overrides: { contractWallets } });
  merchant = app.merchant.live;
});
afterAll(() => app.stop());
beforeEach(async () => {
  contractWallets.isSigned.mockReset().mockResolvedValue(false);
  await app.ctx.db.query('test_no_claims', 'delete from signed_claims');
});

describe('a claim that arrives', () => {
  test.each([
    ['empty text', ''],
    ['no hex digits', 'signed by me'],
    ['an odd number of digits', `0x${'a'.repeat(129)}`],
    ['too few bytes', `0x${'ab'.repeat(63)}`],
    ['66 bytes without the address of a contract wallet', `0x${'ab'.repeat(66)}`],
    ['numbers outside the range of a signature', `0x${'f'.repeat(130)}`],
    ['2,049 bytes', `0x${'ab'.repeat(2_049)}`],
    ['64 KB', `0x${'ab'.repeat(32_000)}`],
  ])('with a malformed signature (%s) is a 400 that names it, and leaves nothing', async (_, signature) => {
    const { id } = await merchant.createSession();
    const { status, body } = await submit(id, { tx_hash: newHash(), signature });
    expect([status, body.error.code, ['signature', 'sender'].includes(body.error.param)]).toEqual([
      400,
      'invalid_request',
      true,
    ]);
    expect(await stored(id)).toEqual([]);
    expect(await count('transaction_hints', id)).toBe(0);
  });

  test('with a malformed sender is a 400 that names it', async () => {
    const { id } = await merchant.createSession();
    const { status, body } = await submit(id, { tx_hash: newHash(), signature: LONG_SIGNATURE, sender: '0x12' });
    expect([status, body.error.param]).toEqual([400, 'sender']);
  });

  test('is stored once under the key that signed it, without its signature', async () => {
    const [{ id }, customer, hash] = [await merchant.createSession(), newKey(), newHash()];
    for (let time = 0; time < 3; time += 1) expect((await claim(id, hash, customer)).status).toBe(202);
    expect(await stored(id)).toEqual([{ signer: customer.address, txHash: hash, signature: null, verified: true }]);
  });

  test("is never replaced by another signer's", async () => {
    const [{ id }, customer, transfer] = [await merchant.createSession(), newKey(), transferOf({ from: 'later' })];
    await claim(id, transfer.txHash, customer);
    await claim(id, transfer.txHash, newKey());
    await take({ ...transfer, from: customer.address });
    expect(await statusOf(id)).toBe('paid');
  });

  test('of a stranger takes nothing, whichever comes first', async () => {
    const [before, after, customer] = [await merchant.createSession(), await merchant.createSession(), newKey()];
    const transfer = transferOf({ from: customer.address });
    await claim(before.id, transfer.txHash, newKey());
    await take(transfer);
    await claim(after.id, transfer.txHash, newKey());
    await work();
    expect([await statusOf(before.id), await statusOf(after.id)]).toEqual(['created', 'created']);
  });
});

describe('limits', () => {
  test('a checkout stores eight claims; the ninth is a 429 that leaves nothing, even if all are sent at once', async () => {
    const [{ id }, hash] = [await merchant.createSession(), newHash()];
    const answers = await Promise.all(Array.from({ length: 12 }, () => claim(id, hash, newKey())));
    const refused = answers.filter(({ status }) => status === 429);
    expect([refused.length, refused[0]?.body.error.code, Number(refused[0]?.headers['retry-after']) > 0]).toEqual([
      4,
      'rate_limited',
      true,
    ]);
    expect(refused[0]?.body.error.message).toContain('8 claims');
    expect(await stored(id)).toHaveLength(8);

    const another = newHash();
    expect((await claim(id, another, newKey())).status).toBe(429);
    expect(await count('transaction_hints', id)).toBe(1);
  });

  test('by the sender of a transfer that was read still counts', async () => {
    const [{ id }, customer, hash] = [await merchant.createSession(), newKey(), newHash()];
    for (let time = 0; time < 8; time += 1) await claim(id, hash, newKey());
    const transfer = transferOf({ from: customer.address });
    await take(transfer);
    expect((await claim(id, transfer.txHash, customer)).status).toBe(202);
    expect(await statusOf(id)).toBe('paid');
  });

  test('a signer claims one transaction for eight checkouts', async () => {
    const [customer, hash] = [newKey(), newHash()];
    const statuses: number[] = [];
    for (let time = 0; time < 9; time += 1)
      statuses.push((await claim((await merchant.createSession()).id, hash, customer)).status);
    expect(statuses).toEqual([...Array.from({ length: 8 }, () => 202), 429]);
  });

  test('a checkout points at ten different transactions; the eleventh is a 429, the first ten are not', async () => {
    const { id } = await merchant.createSession();
    const hashes = Array.from({ length: 10 }, newHash);
    for (const hash of [...hashes, ...hashes]) expect((await submit(id, { tx_hash: hash })).status).toBe(202);
    const refused = await submit(id, { tx_hash: newHash() });
    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
      429,
      'rate_limited',
      'tx_hash',
    ]);
    expect(refused.body.error.message).toContain('limit of 10 submitted transactions');

    const transfer = transferOf({ from: newKey().address });
    await take(transfer);
    expect((await submit(id, { tx_hash: transfer.txHash })).status).toBe(202);
  });

  test('of claims and hints nothing is left 31 days later, or 30 days after a longer session', async () => {
    const { id } = await merchant.createSession();
    await claim(id, newHash(), newKey());
    await app.ctx.db.query(
      'test_age',
      `update signed_claims set expires_at = expires_at - interval '30 days 23 hours'`,
    );
    await app.ctx.db.query(
      'test_age_hints',
      `update transaction_hints set expires_at = expires_at - interval '30 days 23 hours'`,
    );
    await prune(app.ctx, signal);
    expect([await count('signed_claims', id), await count('transaction_hints', id)]).toEqual([1, 1]);

    await app.ctx.db.query(
      'test_age',
      `update signed_claims set expires_at = expires_at - interval '30 days 23 hours'`,
    );
    await app.ctx.db.query(
      'test_age_hints',
      `update transaction_hints set expires_at = expires_at - interval '30 days 23 hours'`,
    );
    await prune(app.ctx, signal);
    expect([await count('signed_claims', id), await count('transaction_hints', id)]).toEqual([0, 0]);
  });
});

describe('a contract wallet', () => {
  test('claims by a signature that two providers confirm, before its transfer is read or afterwards', async () => {
    contractWallets.isSigned.mockResolvedValue(true);
    const [before, after] = [await merchant.createSession(), await merchant.createSession()];
    const [first, second] = [transferOf({ from: CONTRACT }), transferOf({ from: CONTRACT })];
    expect(
      (await submit(before.id, { tx_hash: first.txHash, signature: LONG_SIGNATURE, sender: CONTRACT.toLowerCase() }))
        .status,
    ).toBe(202);
    expect(contractWallets.isSigned).not.toHaveBeenCalled();
    for (const transfer of [first, second]) await take(transfer);
    expect(await statusOf(before.id)).toBe('created');
    await dueNow();
    await work();
    expect(await statusOf(before.id)).toBe('paid');
    expect(contractWallets.isSigned).toHaveBeenCalledWith(
      {
        network: 'base',
        address: CONTRACT,
        message: textOf(before.id, first.txHash),
        signature: LONG_SIGNATURE,
      },
      { for: 'claim' },
    );

    // The 65 bytes of an owner's key are also a signature of the wallet.
    const { status } = await submit(after.id, {
      tx_hash: second.txHash,
      signature: await newKey().signMessage({ message: 'by the rules of the wallet' }),
      sender: CONTRACT,
    });
    expect([status, await statusOf(after.id)]).toEqual([202, 'paid']);
    expect(await stored(after.id)).toMatchObject([{ signer: CONTRACT, signature: null, verified: true }]);
  });

  test('does not claim what its providers do not confirm, and is asked three times at most', async () => {
    const [{ id }, transfer] = [await merchant.createSession(), transferOf({ from: CONTRACT })];
    await take(transfer);
    await submit(id, { tx_hash: transfer.txHash, signature: LONG_SIGNATURE, sender: CONTRACT });
    for (let round = 0; round < 5; round += 1) {
      await dueNow();
      await work();
    }
    expect([contractWallets.isSigned.mock.calls.length, await statusOf(id), await stored(id)]).toEqual([
      3,
      'created',
      [],
    ]);
  });

  test('is asked again where its providers were too busy', async () => {
    const [{ id }, transfer] = [await merchant.createSession(), transferOf({ from: CONTRACT })];
    await take(transfer);
    contractWallets.isSigned.mockRejectedValue(new TemporaryError('busy'));
    await submit(id, { tx_hash: transfer.txHash, signature: LONG_SIGNATURE, sender: CONTRACT });
    for (let round = 0; round < 5; round += 1) {
      await dueNow();
      await work();
    }
    contractWallets.isSigned.mockResolvedValue(true);
    await dueNow();
    await work();
    expect(await statusOf(id)).toBe('paid');
  });

  test('is not kept out by strangers who sign for it', async () => {
    const transfer = transferOf({ from: CONTRACT });
    await take(transfer);
    for (let time = 0; time < 12; time += 1)
      await submit((await merchant.createSession()).id, {
        tx_hash: transfer.txHash,
        signature: `0x${'ef'.repeat(100 + time)}`,
        sender: CONTRACT,
      });
    const { id } = await merchant.createSession();
    contractWallets.isSigned.mockImplementation(async ({ signature }) => signature === LONG_SIGNATURE);
    for (let round = 0; round < 3; round += 1) {
      await dueNow();
      await work();
    }
    expect((await submit(id, { tx_hash: transfer.txHash, signature: LONG_SIGNATURE, sender: CONTRACT })).status).toBe(
      202,
    );
    expect(await statusOf(id)).toBe('paid');
  });
});

describe('on Solana', () => {
  const secret = ed25519.utils.randomSecretKey();
  const customer = base58.encode(ed25519.getPublicKey(secret));
  const signed = (text: string) => base58.encode(ed25519.sign(new TextEncoder().encode(text), secret));

  test('a claim that names its sender is verified when it arrives', async () => {
    const { id } = await solanaSession();
    const transfer = transferOf({ network: 'solana', to: SOLANA_WALLET, from: customer });
    const signature = signed(textOf(id, transfer.txHash, 'solana'));
    const wrong = await submit(id, { tx_hash: transfer.txHash, signature, sender: SOLANA_WALLET });
    expect([wrong.status, wrong.body.error.code, wrong.body.error.param]).toEqual([
      400,
      'invalid_signature',
      'signature',
    ]);
    expect((await submit(id, { tx_hash: transfer.txHash, signature, sender: customer })).status).toBe(202);
    expect(await stored(id)).toMatchObject([{ signer: customer, signature: null, verified: true }]);
    await take(transfer);
    expect(await statusOf(id)).toBe('paid');
  });

  test('one that does not is verified against the account that was debited', async () => {
    const [right, wrong] = [await solanaSession(), await solanaSession()];
    const transfer = transferOf({ network: 'solana', to: SOLANA_WALLET, from: customer });
    expect(
      (
        await submit(right.id, {
          tx_hash: transfer.txHash,
          signature: signed(textOf(right.id, transfer.txHash, 'solana')),
        })
      ).status,
    ).toBe(202);
    expect(
      (
        await submit(wrong.id, {
          tx_hash: transfer.txHash,
          signature: signed(textOf(right.id, transfer.txHash, 'solana')),
        })
      ).status,
    ).toBe(202);
    expect(await stored(right.id)).toMatchObject([{ signer: '', verified: false }]);
    await take(transfer);
    await dueNow();
    await work();
    expect([await statusOf(right.id), await statusOf(wrong.id)]).toEqual(['paid', 'created']);
    expect([await stored(right.id), await stored(wrong.id)]).toMatchObject([
      [{ signer: customer, signature: null, verified: true }],
      [],
    ]);
  });

  test.each([
    ['hex of 65 bytes', `0x${'ab'.repeat(65)}`],
    ['no signature', 'x'],
    ['500 bytes', LONG_SIGNATURE],
  ])('a malformed signature is a 400 (%s)', async (_, signature) => {
    const { id } = await solanaSession();
    const { status, body } = await submit(id, { tx_hash: base58.encode(new Uint8Array(64).fill(7)), signature });
    expect([status, body.error.param]).toEqual([400, 'signature']);
  });

  const solanaSession = () => merchant.createSession({ payout_wallet_id: solanaWallet });
  let solanaWallet: string;
  beforeAll(async () => {
    solanaWallet = (await merchant.createWallet({ asset: 'USDC', network: 'solana', address: SOLANA_WALLET })).id;
  });
});

describe('claims of an older version', () => {
  test('is honored where it is a signature of the sender', async () => {
    const [{ id }, customer] = [await merchant.createSession(), newKey()];
    const [read, unread] = [transferOf({ from: customer.address }), await merchant.createSession()];
    const awaited = transferOf({ from: customer.address });
    await take(read);
    await storeOld(id, read.txHash, await customer.signMessage({ message: textOf(id, read.txHash) }));
    await storeOld(
      unread.id,
      awaited.txHash,
      await customer.signMessage({ message: textOf(unread.id, awaited.txHash) }),
    );
    await work();
    await take(awaited);
    expect([await statusOf(id), await statusOf(unread.id), await oldRows()]).toEqual(['paid', 'paid', 0]);
  });

  test('is dropped unread if it is malformed, however large it is', async () => {
    const transfer = transferOf({ from: newKey().address });
    const sessions = await Promise.all(Array.from({ length: 30 }, () => merchant.createSession()));
    for (const { id } of sessions) await storeOld(id, transfer.txHash, `0x${'ab'.repeat(32_000)}`);
    for (const { id } of sessions.slice(0, 10)) await storeOld(id, newHash(), null);
    const { id } = await merchant.createSession();
    const customer = newKey();
    await claim(id, transfer.txHash, customer);
    await take({ ...transfer, from: customer.address });
    expect(await statusOf(id)).toBe('paid');
    await work();
    expect(await oldRows()).toBe(0);
  });
});

const signal = new AbortController().signal;

/** Runs the worker's claim job until nothing is due. */
async function work(): Promise<void> {
  while ((await claimsJob.run(app.ctx, signal, () => {})) === 'more');
}

async function dueNow(): Promise<void> {
  await app.ctx.db.query('test_due', `update signed_claims set due_at = $1 where due_at is not null`, [
    later(await app.ctx.db.now(), -MINUTE_MS),
  ]);
}

function newKey(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}

function newHash(): string {
  return `0x${(++made).toString(16).padStart(64, '0')}`;
}

function textOf(sessionId: string, txHash: string, network = 'base'): string {
  return ['Quittance payment claim', `Session: ${sessionId}`, `Network: ${network}`, `Transaction: ${txHash}`].join(
    '\n',
  );
}

function submit(sessionId: string, body: Record<string, unknown>) {
  return app.inject('POST', `/v1/public/checkout/sessions/${sessionId}/transactions`, { body });
}

async function claim(sessionId: string, txHash: string, by: PrivateKeyAccount) {
  return submit(sessionId, {
    tx_hash: txHash,
    signature: await by.signMessage({ message: textOf(sessionId, txHash) }),
  });
}

async function statusOf(sessionId: string): Promise<string> {
  return (await merchant.get(`/checkout/sessions/${sessionId}`)).status;
}

function stored(sessionId: string) {
  return app.ctx.db.query(
    'test_stored_claims',
    `
    select c.signer, c.tx_hash, c.signature, c.verified_at is not null as verified
      from signed_claims c join payments p on p.id = c.payment_id where p.session_id = $1 order by c.id`,
    [sessionId],
  );
}

async function count(table: 'signed_claims' | 'transaction_hints', sessionId: string): Promise<number> {
  const [row] = await app.ctx.db.query<{ count: number }>(
    `test_count_${table}`,
    `
    select count(*)::int as count from ${table} one join payments p on p.id = one.payment_id where p.session_id = $1`,
    [sessionId],
  );
  return row?.count ?? -1;
}

/** Inserts a claim like an older version. */
async function storeOld(sessionId: string, txHash: string, signature: string | null): Promise<void> {
  await app.ctx.db.query(
    'test_insert_claim',
    `
    insert into claims as c (payment_id, livemode, network, tx_hash, signature, created_at)
    select id, true, 'base', $2, $3, $4 from payments where session_id = $1
        on conflict (livemode, network, tx_hash, payment_id) do update set signature = coalesce(excluded.signature, c.signature)`,
    [sessionId, txHash, signature, await app.ctx.db.now()],
  );
}

async function oldRows(): Promise<number> {
  const [row] = await app.ctx.db.query<{ count: number }>(
    'test_old_claims',
    'select count(*)::int as count from claims',
  );
  return row?.count ?? -1;
}

function transferOf({
  network = 'base',
  to = WALLET,
  from,
}: {
  network?: 'base' | 'solana';
  to?: string;
  from: string;
}): Transfer {
  const txHash = newHash();
  return {
    network,
    txHash: network === 'base' ? txHash : base58.encode(new Uint8Array(64).fill((made % 255) + 1)),
    index: 0,
    asset: 'USDC',
    from,
    to,
    amountUnits: 49_000_000n,
    block: { number: 1n, hash: '0x1', time: new Date() },
    carried: [],
  };
}

/** Stores a final transfer and attributes it. */
async function take(transfer: Transfer): Promise<void> {
  const now = await app.ctx.db.now();
  await app.ctx.db.transaction((db) => receive(app.ctx, db, { livemode: true, transfers: [transfer] }, now));
  for (const stored of await findTransfersByHash(app.ctx.db, true, transfer.network, transfer.txHash)) {
    await app.ctx.db.transaction((db) =>
      settleTransfer({ ctx: app.ctx, db, at: { created: now, recorded: now } }, stored, {}),
    );
  }
}
