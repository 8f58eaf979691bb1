import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Chain, AccountKind } from '../../../src/outside/chains/chain.ts';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { type Saver, savers } from '../../support/address-savers.ts';
import { startApp, type Merchant, type TestApp } from '../../support/index.ts';
import { ethereumWallet, loginByWallet } from '../../support/logins.ts';
import { paymentOfSession } from '../../support/payments.ts';
import { recording } from '../../support/recording.ts';

type Data = any;

const lines: Record<string, unknown>[] = [];
const log = recording(lines, 'warn');
const alarms = () => lines.filter((line) => line.alarm === 'address_disputed');

let app: TestApp;
const { arrive, checkout, pay, payment, prove, readWallet, saver, transferOf } = savers(() => app);
/** The kinds of addresses, and what contracts sign. */
const inhabitants = new Map<string, AccountKind | 'unknown'>();
const approved = new Set<string>();

beforeAll(async () => {
  const chain = {
    health: () => ({ reachable: true, providers: [] }),
    close: async () => {},
    accountKindOf: async (address: string) => {
      const found = inhabitants.get(address);
      if (found === 'unknown') throw new TemporaryError('no provider answers');
      return found ?? null;
    },
  } as unknown as Chain;
  app = await startApp({
    overrides: {
      log,
      chains: new Map([
        ['base', chain],
        ['ethereum', chain],
      ]),
      contractWallets: {
        isSigned: async ({ network, address, signature }) => approved.has(`${network} ${address} ${signature}`),
      },
    },
  });
});
afterAll(() => app.stop());

/** Proves an address by a contract's signature. */
async function proveByContract(merchant: Merchant, wallet: Data): Promise<Data> {
  const path = `/payout-wallets/${wallet.id}/prove`;
  await merchant.dashboard.post(path);
  const signature = `0x${String(approved.size + 1).padStart(130, '0')}`;
  approved.add(`${wallet.network} ${wallet.address} ${signature}`);
  return merchant.dashboard.post(path, { signature });
}

describe('exact amounts at an address that several accounts have saved', () => {
  test('a rival who saves it later gets none, and the checkouts of the first go on without a proof', async () => {
    const { address } = ethereumWallet();
    const first = await saver(address);
    const rival = await saver(address);
    expect(first.wallet.proof).toBe('not_required');
    expect(rival.wallet).toMatchObject({ proved: false, proof: 'required' });

    const refused = await pay((await rival.merchant.createSession()).id);
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_route', param: 'pay_asset' } } });
    expect((await checkout(first.merchant)).units % 10_000n).not.toBe(0n);
  });

  test('a squatter who saved it first loses the reserved amounts to the account that proves it', async () => {
    const owner = ethereumWallet();
    const squatter = await saver(owner.address);
    const held = await checkout(squatter.merchant);
    const rightful = await saver(owner.address);
    expect((await pay((await rightful.merchant.createSession()).id)).status).toBe(400);

    expect(await prove(rightful.merchant, rightful.wallet, owner)).toMatchObject({ proved: true, proof: 'proved' });

    expect((await readWallet(squatter.merchant, squatter.wallet)).proof).toBe('required');
    expect((await pay((await squatter.merchant.createSession()).id)).status).toBe(400);
    await checkout(rightful.merchant);
    // A transfer of the squatter's exact amount belongs to the owner and stays unattributed.
    const id = await arrive(owner.address, held.units);
    expect(await transferOf(rightful.merchant, id)).toMatchObject({ reason: 'no_match', payment: null });
    expect((await payment(squatter.merchant, held.paymentId)).status).toBe('pending');
  });

  test('amounts that a squatter reserved while the owner proved do not block others', async () => {
    const owner = ethereumWallet();
    const squatter = await saver(owner.address);
    const held = await checkout(squatter.merchant);
    const rightful = await saver(owner.address);
    await prove(rightful.merchant, rightful.wallet, owner);
    const [row] = await app.ctx.db.query(
      'test_reserved_of_payment',
      'select 1 from reserved_amounts where payment_id = $1',
      [held.paymentId],
    );
    expect(row).toBeUndefined();
  });

  test('an amount that was reserved beside a proof does not take the owner’s money', async () => {
    const owner = ethereumWallet();
    const squatter = await saver(owner.address);
    const held = await checkout(squatter.merchant);
    const rightful = await saver(owner.address);
    await prove(rightful.merchant, rightful.wallet, owner);
    // As if its transaction had started before the proof and ended after it.
    await app.ctx.db.query(
      'test_reserve_beside',
      `
      insert into reserved_amounts (livemode, network, address, asset, amount_units, payment_id, purpose, taken_at)
      values (true, 'base', $1, 'USDC', $2, $3, 'target', $4)`,
      [owner.address, held.units, held.paymentId, await app.ctx.db.now()],
    );
    const id = await arrive(owner.address, held.units);
    expect(await transferOf(rightful.merchant, id)).toMatchObject({ reason: 'no_match', held_by_other_account: false });
  });

  test('a reference to the payment of an unproved account counts behind the owner’s', async () => {
    const owner = ethereumWallet();
    const squatter = await saver(owner.address);
    const theirs = await checkout(squatter.merchant);
    const rightful = await saver(owner.address);
    await prove(rightful.merchant, rightful.wallet, owner);
    const own = await checkout(rightful.merchant);
    await arrive(owner.address, 49_000_000n, [theirs.reference, own.reference]);
    expect((await payment(rightful.merchant, own.paymentId)).status).toBe('paid');
    expect((await payment(squatter.merchant, theirs.paymentId)).status).toBe('pending');
  });

  test('archived wallets of others do not count', async () => {
    const { address } = ethereumWallet();
    const gone = await saver(address);
    await gone.merchant.dashboard.post(`/payout-wallets/${gone.wallet.id}/archive`);
    const { merchant, wallet } = await saver(address);
    expect(wallet.proof).toBe('not_required');
    const { paymentId } = await checkout(merchant);
    const id = await arrive(address, 5_000_000n);
    expect((await merchant.dashboard.post(`/transfers/${id}/assign`, { payment: paymentId })).payment).toBe(paymentId);
  });

  test('in test mode every account tries out any address', async () => {
    const owner = ethereumWallet();
    const one = await app.newMerchant();
    const two = await app.newMerchant();
    const wallet = await one.createWallet({ address: owner.address });
    await prove(one, wallet, owner);
    expect((await two.createWallet({ address: owner.address })).proof).toBe('not_required');
    expect((await pay((await two.createSession()).id)).status).toBe(200);
  });
});

describe('an address with code', () => {
  test.each(['contract', 'program', 'unknown'] as const)(
    '%s: it gets exact amounts and manual work only after a proof',
    async (accountWarning) => {
      const { address } = ethereumWallet();
      inhabitants.set(address, accountWarning);
      const { merchant, wallet } = await saver(address);
      expect(wallet.proof).toBe('required');
      const session = await merchant.createSession();
      expect((await pay(session.id)).body.error).toMatchObject({ code: 'invalid_route', param: 'pay_asset' });
      const id = await arrive(address, 5_000_000n);
      await expect(merchant.dashboard.post(`/transfers/${id}/handle`)).rejects.toMatchObject({
        status: 403,
        param: 'id',
      });

      expect((await proveByContract(merchant, wallet)).proved).toBe(true);
      expect((await pay(session.id)).status).toBe(200);
      expect((await merchant.dashboard.post(`/transfers/${id}/handle`)).handled_at).not.toBeNull();
    },
  );

  test('a vault that a program of Solana derived: it has to be proved', async () => {
    const merchant = await app.newMerchant({ mode: 'live' });
    const wallet = await merchant.createWallet({
      network: 'solana',
      // The derived token account of a wallet: no key can sign for it.
      address: 'HJt8Tjdsc9ms9i4WCZEzhzr4oyf3ANcdzXrNdLPFqm3M',
    });
    expect(wallet.proof).toBe('required');
  });
});

describe('proofs', () => {
  test('a key signs for every Ethereum-compatible network; a contract only for its own', async () => {
    const owner = ethereumWallet();
    const { merchant, wallet } = await saver(owner.address, 'base');
    const polygon = await merchant.createWallet({ address: owner.address, network: 'polygon' });
    await prove(merchant, wallet, owner);
    expect((await readWallet(merchant, polygon)).proved).toBe(true);

    const safe = ethereumWallet().address;
    inhabitants.set(safe, 'contract');
    const rightful = await saver(safe, 'ethereum');
    // Another person deploys a contract at the same address on another network.
    const copy = await saver(safe, 'base');
    expect((await proveByContract(copy.merchant, copy.wallet)).proved).toBe(true);
    expect(await readWallet(rightful.merchant, rightful.wallet)).toMatchObject({ proved: false, proof: 'required' });
    expect((await proveByContract(rightful.merchant, rightful.wallet)).proved).toBe(true);
  });

  test('the first proof wins; a second one is a dispute that the operator sees', async () => {
    const safe = ethereumWallet().address;
    inhabitants.set(safe, 'contract');
    const [first, second] = [await saver(safe), await saver(safe)];
    await proveByContract(first.merchant, first.wallet);
    const before = alarms().length;

    expect(await proveByContract(second.merchant, second.wallet)).toMatchObject({ proved: false, proof: 'disputed' });
    await proveByContract(second.merchant, second.wallet);

    expect(alarms().slice(before)).toMatchObject([
      { accountId: second.merchant.accountId, ownerId: first.merchant.accountId, network: 'base', method: 'contract' },
    ]);
    expect((await app.inject('GET', '/metrics')).raw).toMatch(/^quittance_address_disputes [1-9]/m);
    expect(await readWallet(first.merchant, first.wallet)).toMatchObject({ proved: true, proof: 'proved' });
    expect((await readWallet(second.merchant, second.wallet)).proof).toBe('disputed');
    expect((await pay((await second.merchant.createSession()).id)).status).toBe(400);
    await checkout(first.merchant);
  });

  test('of many accounts that prove at once one owns the address', async () => {
    const owner = ethereumWallet();
    const all: Saver[] = [];
    for (let count = 0; count < 4; count += 1) all.push(await saver(owner.address));
    const proofs = await Promise.all(all.map(({ merchant, wallet }) => prove(merchant, wallet, owner)));
    expect(proofs.map((proof) => proof.proof).sort()).toEqual(['disputed', 'disputed', 'disputed', 'proved']);
  });

  test('an owner who archived the wallet makes room for the next one who proves', async () => {
    const owner = ethereumWallet();
    const before = await saver(owner.address);
    await prove(before.merchant, before.wallet, owner);
    const next = await saver(owner.address);
    await before.merchant.dashboard.post(`/payout-wallets/${before.wallet.id}/archive`);
    expect(await prove(next.merchant, next.wallet, owner)).toMatchObject({ proved: true });
    await expect(
      before.merchant.dashboard.post(`/payout-wallets/${before.wallet.id}/prove`, { signature: '0x00' }),
    ).rejects.toMatchObject({ status: 400, param: 'id' });
  });

  test('a wallet that logs in owns its address, unless another account proved it before', async () => {
    const free = ethereumWallet();
    await saver(free.address, 'ethereum');
    const login = await loginByWallet(app.inject, free);
    const read = (token: string, id: string) =>
      app.inject('GET', `/v1/payout-wallets/${id}`, { token, headers: { 'service-mode': 'live' } });
    expect((await read(login.session_token, login.payout_wallet_id)).body.data).toMatchObject({ proof: 'proved' });

    const owned = ethereumWallet();
    const { merchant, wallet } = await saver(owned.address, 'ethereum');
    await prove(merchant, wallet, owned);
    const later = await loginByWallet(app.inject, owned);
    expect((await read(later.session_token, later.payout_wallet_id)).body.data).toMatchObject({ proof: 'required' });
  });

  test('400: a signature and a transaction at once, and a transaction that nothing was asked for', async () => {
    const { merchant, wallet } = await saver(ethereumWallet().address);
    const path = `/payout-wallets/${wallet.id}/prove`;
    for (const body of [{ signature: '0x00', tx_hash: '0x00' }, { tx_hash: '0x00' }, { tx_hash: '' }]) {
      await expect(merchant.dashboard.post(path, body)).rejects.toMatchObject({
        status: 400,
        code: 'invalid_signature',
        param: 'tx_hash',
      });
    }
  });
});

test('a key’s proof counts on the networks of its family that the server adds later', async () => {
  const owner = ethereumWallet();
  const { merchant, wallet } = await saver(owner.address);
  await prove(merchant, wallet, owner);
  const rows = await app.ctx.db.query<{ network: string }>(
    'test_owned_networks',
    'select network from address_owners where livemode and address = $1 order by network',
    [owner.address],
  );
  expect(rows.map(({ network }) => network)).toEqual(['arbitrum', 'base', 'bnb', 'ethereum', 'polygon', 'tempo']);
});

describe('manual work', () => {
  test('a key’s proof counts for manual work on the other networks of its family', async () => {
    const owner = ethereumWallet();
    const { merchant, wallet } = await saver(owner.address, 'ethereum');
    await prove(merchant, wallet, owner);
    // A proof by a key is valid on Base too, so a later saver there owns nothing.
    const late = await saver(owner.address, 'base');
    await merchant.dashboard.post(
      `/payout-wallets/${(await merchant.createWallet({ address: owner.address })).id}/archive`,
    );
    const theirs = (await late.merchant.createSession()).id;
    const id = await arrive(owner.address, 5_000_000n);
    const payment = await paymentOfSession(app.ctx.db, theirs);
    await expect(late.merchant.dashboard.post(`/transfers/${id}/assign`, { payment })).rejects.toMatchObject({
      status: 403,
    });
    expect((await merchant.dashboard.post(`/transfers/${id}/handle`)).handled_at).not.toBeNull();
  });

  test('after a proof the account that saved the address first decides about nothing there', async () => {
    const owner = ethereumWallet();
    const squatter = await saver(owner.address);
    const theirs = await checkout(squatter.merchant);
    const rightful = await saver(owner.address);
    await prove(rightful.merchant, rightful.wallet, owner);
    const id = await arrive(owner.address, 5_000_000n);
    for (const [verb, body] of [
      ['assign', { payment: theirs.paymentId }],
      ['handle', undefined],
    ] as const)
      await expect(squatter.merchant.dashboard.post(`/transfers/${id}/${verb}`, body)).rejects.toMatchObject({
        status: 403,
        param: 'id',
      });
    expect((await rightful.merchant.dashboard.post(`/transfers/${id}/handle`)).handled_at).not.toBeNull();
  });
});
