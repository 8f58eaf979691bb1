import type { Address } from '@solana/kit';
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getRecoverNestedAssociatedTokenInstructionAsync,
} from '@solana-program/token';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { formatUnits } from '../../src/platform/money.ts';
import { type SendOptions, TOKEN_PROGRAM } from '../support/solana/index.ts';
import { COIN, OTHER, type SolanaShop, startSolanaShop } from '../support/solana/shop.ts';
import { solTransfer, tokenTransfer } from '../support/solana/transactions.ts';

let shop: SolanaShop;

beforeAll(async () => {
  shop = await startSolanaShop();
});
afterAll(() => shop[Symbol.asyncDispose]());
// A test's transactions must not reach the next test.
afterEach(() =>
  shop.app.ctx.db.query('test_handle_all', `update transfers set handled_at = block_time where payment_id is null`),
);

describe.each([COIN, 'SOL'] as const)('%s', (asset) => {
  const send = (amount: bigint, options: SendOptions & { references?: readonly string[]; memo?: string } = {}) =>
    asset === COIN ? shop.sendUsdc(amount, options) : shop.sendSol(amount, options);
  const decimal = (units: bigint) => formatUnits(units, asset === COIN ? 6 : 9);
  /** A round amount that is worth slightly more than the amount due. */
  const round = asset === COIN ? 49_500_000n : 330_000_000n;

  test('of the exact amount, from any wallet, pays', async () => {
    const { id, amountUnits } = await shop.checkout(asset);

    const txHash = await send(amountUnits);
    await shop.settle();

    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
    expect(await shop.payment(id)).toMatchObject({
      status: 'paid',
      tx_hashes: [txHash],
      actual_output: decimal(amountUnits),
      failure_reason: null,
      route: 'direct',
      pay_asset: asset,
      pay_network: 'solana',
    });
    expect(await shop.unattributed()).toEqual([]);
  });

  test('with the reference that Solana Pay carries pays, though its amount is a round one', async () => {
    const { id, reference } = await shop.checkout(asset);
    await send(round, { references: [reference] });
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', actual_output: decimal(round) });
  });

  test('with the reference as its memo pays', async () => {
    const { id, reference } = await shop.checkout(asset);
    await send(round, { memo: reference });
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });

  test('in two parts adds up, the rest being an exact amount of its own', async () => {
    const { id, amountUnits, reference } = await shop.checkout(asset);
    await send(amountUnits / 2n, { references: [reference] });
    await shop.settle();
    const { status, payment } = await shop.publicSession(id);
    expect(status).toBe('pending');
    expect(payment).toMatchObject({ amount: decimal(amountUnits), amount_received: decimal(amountUnits / 2n) });

    await send(BigInt(payment.amount_due.replace('.', '')));
    await shop.settle();

    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
    expect((await shop.payment(id)).tx_hashes).toHaveLength(2);
  });

  test('changes no status before it is finalized, and is shown to the customer meanwhile', async () => {
    const { id, amountUnits } = await shop.checkout(asset);
    await send(amountUnits);
    await shop.watch();
    expect(await shop.publicSession(id)).toMatchObject({
      status: 'pending',
      payment: { amount_seen: decimal(amountUnits), amount_received: decimal(0n) },
    });

    shop.cluster.slots(3);
    await shop.watch();
    expect((await shop.publicSession(id)).status).toBe('pending');

    shop.cluster.slots(1);
    await shop.watch();
    expect(await shop.publicSession(id)).toMatchObject({
      status: 'paid',
      payment: { amount_received: decimal(amountUnits) },
    });
  });

  test('of too much pays, the surplus visible', async () => {
    const { id, reference } = await shop.checkout(asset);
    await send(round * 2n, { references: [reference] });
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', actual_output: decimal(round * 2n) });
  });

  test('a second time is listed as already paid', async () => {
    const { id, amountUnits, reference } = await shop.checkout(asset);
    await send(amountUnits);
    await send(amountUnits, { references: [reference] });
    await shop.settle();

    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
    expect(await shop.unattributed()).toMatchObject([{ reason: 'already_paid', amount: decimal(amountUnits) }]);
  });

  test('that matches nothing is kept', async () => {
    await shop.checkout(asset);
    await send(12_345_678n);
    await shop.settle();
    expect(await shop.unattributed()).toMatchObject([
      { asset, reason: 'no_match', amount: decimal(12_345_678n), from: shop.customer.address, to: shop.wallet.address },
    ]);
  });

  test('that failed on the chain pays nothing', async () => {
    const { id, reference } = await shop.checkout(asset);
    const txHash = await send(10n ** 15n, { references: [reference] });
    await shop.settle();
    expect(shop.cluster.ledger.transactions.get(txHash)?.err).not.toBeNull();
    expect((await shop.payment(id)).status).toBe('pending');
    expect(await shop.unattributed()).toEqual([]);
  });

  test('of a little less than is due, within the tolerance, pays', async () => {
    const { id, reference, amountUnits } = await shop.checkout(asset);
    const short = amountUnits - amountUnits / 400n;
    await send(short, { references: [reference] });
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', actual_output: decimal(short) });
  });

  test('in any other coin pays nothing, and is listed with the payment that it names', async () => {
    const { id, amountUnits, reference } = await shop.checkout(asset);
    const options = { references: [reference] };
    await shop.sendUsdc(amountUnits, { ...options, mint: shop.usdt });
    await (asset === COIN ? shop.sendSol(amountUnits, options) : shop.sendUsdc(amountUnits, options));
    await shop.settle();
    const payment = await shop.payment(id);
    expect(payment.status).toBe('pending');
    expect((await shop.unattributed()).map((one) => [one.asset, one.reason, one.payment])).toEqual(
      expect.arrayContaining([
        [OTHER, 'other_asset', payment.id],
        [asset === COIN ? 'SOL' : COIN, 'other_asset', payment.id],
      ]),
    );
  });

  test('whose accounts and reference are in a look-up table pays', async () => {
    const [exact, referred] = [await shop.checkout(asset), await shop.checkout(asset)];
    const destination = await shop.cluster.tokenAccount(shop.usdc, shop.wallet.address);
    const table = await shop.cluster.createTable([
      asset === COIN ? destination : shop.wallet.address,
      shop.usdc,
      referred.reference,
    ]);
    shop.cluster.slots();
    await send(exact.amountUnits, { tables: [table] });
    await send(round, { tables: [table], references: [referred.reference] });
    await shop.settle();
    expect([(await shop.payment(exact.id)).status, (await shop.payment(referred.id)).status]).toEqual(['paid', 'paid']);
  });

  test('with two references pays one session, and none twice', async () => {
    const [one, two] = [await shop.checkout(asset), await shop.checkout(asset)];
    await send(round, { references: [one.reference, two.reference], memo: two.reference });
    await shop.settle();
    expect([(await shop.payment(one.id)).status, (await shop.payment(two.id)).status].sort()).toEqual([
      'paid',
      'pending',
    ]);
  });

  test('of another customer, submitted by its hash, claims nothing: every transaction is public', async () => {
    const { id } = await shop.checkout(asset);
    const txHash = await send(round + 4_321n);
    await shop.settle();

    expect(await shop.claim(id, txHash)).toBe(202);
    expect(await shop.claim(id, txHash, shop.wallet)).toBe(202);
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('pending');

    expect(await shop.claim(id, txHash, shop.customer)).toBe(202);
    await shop.watch();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', tx_hashes: [txHash] });
  });
});

describe('before it is finalized', () => {
  test('a transfer that a fork takes away is not paid, and never was', async () => {
    const { id, amountUnits } = await shop.checkout();
    await shop.sendUsdc(amountUnits);
    await shop.watch();
    expect((await shop.publicSession(id)).payment.amount_seen).not.toBe('0.000000');

    shop.cluster.fork(1);
    await shop.settle();

    expect(await shop.publicSession(id)).toMatchObject({ status: 'pending', payment: { amount_seen: '0.000000' } });
    expect(await shop.walk(id)).toEqual(['created', 'pending']);
  });

  test('a transfer that a fork moves is paid once, in its last block', async () => {
    const { id, amountUnits } = await shop.checkout();
    const txHash = await shop.sendUsdc(amountUnits);
    shop.cluster.slots(2);
    await shop.watch();

    shop.cluster.fork(3, [{ slot: 2, signature: txHash }]);
    await shop.watch();
    await shop.settle();

    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
    expect((await shop.payment(id)).tx_hashes).toEqual([txHash]);
    const { entries } = await shop.merchant.get(`/payments/${(await shop.payment(id)).id}/timeline`);
    const paid = entries.find((entry: { data: { status?: string } }) => entry.data.status === 'paid');
    expect(paid.data).toMatchObject({
      txHash,
      rule: 'amount',
      finality: { type: 'finalized' },
      block: { number: String(shop.cluster.ledger.transactions.get(txHash)?.slot) },
    });
  });

  test('a payment that only the other branch holds is seen on it', async () => {
    const { id, amountUnits } = await shop.checkout();
    shop.cluster.slots(2);
    await shop.watch();
    shop.cluster.fork(2);
    await shop.sendUsdc(amountUnits);
    await shop.settle();
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
  });
});

describe('other money', () => {
  test('that a program moves inside its own instruction pays', async () => {
    const { id, amountUnits } = await shop.checkout();
    const [source, owner] = [
      await shop.cluster.tokenAccount(shop.usdc, shop.customer.address),
      await shop.cluster.tokenAccount(shop.usdc, shop.wallet.address),
    ];
    const nested = await shop.cluster.tokenAccount(shop.usdc, owner);
    await shop.cluster.send(
      [
        getCreateAssociatedTokenIdempotentInstruction({
          payer: shop.customer,
          ata: nested,
          owner,
          mint: shop.usdc as Address,
        }),
        tokenTransfer({
          source,
          mint: shop.usdc,
          destination: nested,
          authority: shop.customer,
          amount: amountUnits,
          decimals: 6,
          program: TOKEN_PROGRAM,
        }),
      ],
      { from: shop.customer },
    );
    const recover = await getRecoverNestedAssociatedTokenInstructionAsync({
      walletAddress: shop.wallet,
      ownerTokenMintAddress: shop.usdc as Address,
      nestedTokenMintAddress: shop.usdc as Address,
    });
    const txHash = await shop.cluster.send([recover], { from: shop.wallet });
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({
      status: 'paid',
      tx_hashes: [txHash],
      actual_output: formatUnits(amountUnits, 6),
    });
  });

  test('of a look-alike mint, and of one of the newer token program, is not even listed', async () => {
    const { id, amountUnits, reference } = await shop.checkout();
    for (const program of ['token', 'token-2022'] as const) {
      const fake = await shop.cluster.createMint({ program });
      await shop.cluster.mint(fake, shop.customer.address, 1_000_000_000n);
      await shop.sendUsdc(amountUnits, { mint: fake, references: [reference] });
    }
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('pending');
    expect(await shop.unattributed()).toEqual([]);
  });

  test('for several customers in one transaction pays each their own', async () => {
    const [one, two] = [await shop.checkout(), await shop.checkout()];
    const [source, destination] = [
      await shop.cluster.tokenAccount(shop.usdc, shop.customer.address),
      await shop.cluster.tokenAccount(shop.usdc, shop.wallet.address),
    ];
    const pay = (amount: bigint) =>
      tokenTransfer({
        source,
        mint: shop.usdc,
        destination,
        authority: shop.customer,
        amount,
        decimals: 6,
        program: TOKEN_PROGRAM,
      });
    await shop.cluster.send(
      [pay(one.amountUnits), pay(two.amountUnits), solTransfer(shop.customer, shop.wallet.address, 3_000_000n)],
      { from: shop.customer },
    );
    await shop.settle();
    expect([(await shop.payment(one.id)).status, (await shop.payment(two.id)).status]).toEqual(['paid', 'paid']);
  });

  test("beside another's in one transaction: a loose reference steals nothing", async () => {
    const [victim, thief] = [await shop.checkout(), await shop.checkout()];
    const [source, destination] = [
      await shop.cluster.tokenAccount(shop.usdc, shop.customer.address),
      await shop.cluster.tokenAccount(shop.usdc, shop.wallet.address),
    ];
    const pay = (amount: bigint, references: readonly string[]) =>
      tokenTransfer({
        source,
        mint: shop.usdc,
        destination,
        authority: shop.customer,
        amount,
        decimals: 6,
        program: TOKEN_PROGRAM,
        references,
      });
    await shop.cluster.send([pay(victim.amountUnits, [thief.reference])], { from: shop.customer });
    await shop.settle();
    expect([(await shop.payment(victim.id)).status, (await shop.payment(thief.id)).status]).toEqual([
      'paid',
      'pending',
    ]);
  });
});
