import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Transfer } from '../../../src/outside/chains/chain.ts';
import { storeTransfers } from '../../../src/settlement/records/seen-transfer-store.ts';
import { findTransfersByHash } from '../../../src/settlement/records/transfer-store.ts';
import { dropVanished } from '../../../src/settlement/verification/drop-vanished.ts';
import { FakeNetwork, type FakeCheckout } from '../../support/fake-network.ts';

// Of a call by a contract, only providers that trace can say what it transferred.
let net: FakeNetwork;
let checkout: FakeCheckout;
beforeAll(async () => {
  net = await FakeNetwork.start({ providers: 3 });
  checkout = await net.checkout(await net.wallet());
});
afterAll(() => net[Symbol.asyncDispose]());

test('what one provider names instead of an untraced transfer that is gone is kept, and decided about', async () => {
  const { db } = net.app.ctx;
  const untraced = transferOf(`block:${net.random.hex(8)}`);
  const reporter = { providers: ['provider 0'], isConfirmed: false };
  await db.transaction((tx) => storeTransfers(tx, { livemode: true, transfers: [untraced], reporter }, net.now));
  const [stored] = await findTransfersByHash(db, true, 'base', untraced.txHash);
  if (!stored) throw new Error('the transfer was not stored');

  const named = transferOf(net.random.hex(32));
  await dropVanished(net.ctx, net.fake.chain, stored, { type: 'gone', named: [named] });
  const found = await findTransfersByHash(db, true, 'base', named.txHash);
  expect(found).toMatchObject([{ status: 'seen', confirmed: false }]);
});

function transferOf(txHash: string): Transfer {
  return {
    network: 'base',
    txHash,
    index: 0,
    asset: 'USDC',
    from: net.random.hex(20),
    to: checkout.wallet,
    amountUnits: checkout.amountUnits,
    block: { number: 5n, hash: net.random.hex(32), time: net.now },
    carried: [],
  };
}
