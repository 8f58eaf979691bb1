import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rescan } from '../../src/settlement/rescan.ts';
import { TOKENS } from '../support/lies/evm.ts';
import { describeLies, Lies, watchOn } from '../support/lies/shop.ts';

describeLies(TOKENS);

describe('a single provider that lied until it was replaced', () => {
  let lies: Lies;

  beforeAll(async () => {
    lies = await Lies.about(TOKENS, { count: 1, liarIs: 'first', expiresIn: 600 });
    await lies.expire(700);
    lies.removeLiar();
  });
  afterAll(() => lies[Symbol.asyncDispose]());

  test.each(['amount', 'time', 'tag', 'nonce'] as const)(
    "a customer's hint heals what it stored with another %s, though the session has expired",
    async (changed) => {
      const { shop } = lies.here;
      const { sessionId, txHash } = lies.paid(changed);
      const status = async () => (await shop.walk(sessionId)).at(-1);
      expect(await status()).toBe('expired');
      const answer = await shop.app.inject('POST', `/v1/public/checkout/sessions/${sessionId}/transactions`, {
        body: { tx_hash: txHash },
      });
      expect(answer.status).toBe(202);
      await watchOn(lies.here, 2);
      expect(await status()).toBe('paid');
    },
  );

  test('a rescan heals the rest, and what never came is dropped', async () => {
    for await (const _ of rescan(lies.here.shop.ctx, 'ethereum', 1n));
    await lies.requireAllPaid();
    expect((await lies.added()).map(({ status }) => status)).toEqual(['dropped', 'dropped']);
  });
});
