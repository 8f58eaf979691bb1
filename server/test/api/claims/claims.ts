import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Transfer } from '../../../src/outside/chains/chain.ts';
import { later, MINUTE_MS } from '../../../src/platform/time.ts';
import { claimsJob } from '../../../src/settlement/attribution/verify-claims.ts';
import type { TestApp } from '../../support/index.ts';
import { transferTo } from '../../support/transfers.ts';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
export const LONG_SIGNATURE = `0x${'ab'.repeat(500)}`;

const signal = new AbortController().signal;

/** Runs the worker's claim job until nothing is due. */
export async function work(app: TestApp): Promise<void> {
  while ((await claimsJob.run(app.ctx, signal, () => {})) === 'more');
}

export async function dueNow(app: TestApp): Promise<void> {
  await app.ctx.db.query('test_due', `update signed_claims set due_at = $1 where due_at is not null`, [
    later(await app.ctx.db.now(), -MINUTE_MS),
  ]);
}

export function newKey(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}

/** Never that of a transfer, which are counted. */
export function newHash(): string {
  return `0x${randomBytes(32).toString('hex')}`;
}

export function textOf(sessionId: string, txHash: string, network = 'base'): string {
  return ['Quittance payment claim', `Session: ${sessionId}`, `Network: ${network}`, `Transaction: ${txHash}`].join(
    '\n',
  );
}

export function submit(app: TestApp, sessionId: string, body: Record<string, unknown>) {
  return app.inject('POST', `/v1/public/checkout/sessions/${sessionId}/transactions`, { body });
}

export async function claim(app: TestApp, sessionId: string, txHash: string, by: PrivateKeyAccount) {
  return submit(app, sessionId, {
    tx_hash: txHash,
    signature: await by.signMessage({ message: textOf(sessionId, txHash) }),
  });
}

export async function statusOf(app: TestApp, sessionId: string): Promise<string> {
  return (await app.merchant.live.get(`/checkout/sessions/${sessionId}`)).status;
}

export function stored(app: TestApp, sessionId: string) {
  return app.ctx.db.query(
    'test_stored_claims',
    `
    select c.signer, c.tx_hash, c.signature, c.verified_at is not null as verified
      from signed_claims c join payments p on p.id = c.payment_id where p.session_id = $1 order by c.id`,
    [sessionId],
  );
}

export async function count(
  app: TestApp,
  table: 'signed_claims' | 'transaction_hints',
  sessionId: string,
): Promise<number> {
  const [row] = await app.ctx.db.query<{ count: number }>(
    `test_count_${table}`,
    `
    select count(*)::int as count from ${table} one join payments p on p.id = one.payment_id where p.session_id = $1`,
    [sessionId],
  );
  return row?.count ?? -1;
}

export function transferOf({
  network = 'base',
  to = WALLET,
  from,
}: {
  network?: 'base' | 'solana';
  to?: string;
  from: string;
}): Transfer {
  const amountUnits = 49_000_000n;
  if (network === 'base') return transferTo(to, { from, amountUnits });
  const txHash = base58.encode(randomBytes(64));
  return transferTo(to, { network, txHash, from, amountUnits });
}
