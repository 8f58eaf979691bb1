import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { Client } from '../../../src/platform/http/admission/client.ts';
import { findPublicView } from '../../../src/resources/checkout-sessions/public-session.ts';
import { payByCredential } from '../../../src/resources/machine-payments/pay.ts';
import { findCredentialsOf } from '../../../src/resources/machine-payments/store.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { machineClient, requiredIn, signX402 } from '../../support/machine-client.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('a signature for the whole price is refused once a part has arrived since its offer', async () => {
  const session = await app.merchant.createSession();
  const [accepted] = requiredIn(await machineClient(app.inject).ask(session.id)).accepts;
  const { payload } = await signX402(accepted, privateKeyToAccount(`0x${'42'.repeat(32)}`));
  const credential = { protocol: 'x402' as const, sessionId: session.id, accepted, payload };
  const view = await findPublicView(app.ctx, session.id);
  const body = { pay_asset: 'USDC', pay_network: 'base', outcome: 'underpaid' };
  const ctx = beforeItIsStored(() => app.merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, body));
  await expect(payByCredential(ctx, view, credential, Client.at('127.0.0.1'))).rejects.toMatchObject({
    name: 'PaymentProblemError',
    code: 'payment-in-progress',
  });
  expect(await findCredentialsOf(app.ctx.db, view.payment.id)).toEqual([]);
  // The rest is offered.
  const [rest] = requiredIn(await machineClient(app.inject).ask(session.id)).accepts;
  expect(2n * BigInt(rest.amount)).toBeLessThan(BigInt(accepted.amount) + 1_000_000n);
});

/** The service, which does this before it opens its first transaction. */
function beforeItIsStored(first: () => Promise<unknown>): Context {
  const { db } = app.ctx;
  let done: Promise<unknown> | undefined;
  const held = {
    query: db.query.bind(db),
    notify: db.notify.bind(db),
    now: db.now.bind(db),
    transaction: async (...asked: Parameters<typeof db.transaction>) => {
      await (done ??= first());
      return db.transaction(...asked);
    },
  };
  return { ...app.ctx, db: held } as unknown as Context;
}
