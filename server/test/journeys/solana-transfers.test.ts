import { base58 } from '@scure/base';
import { AccountRole, type Address, type Instruction } from '@solana/kit';
import {
  getApproveInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getMintToInstruction,
  getRecoverNestedAssociatedTokenInstructionAsync,
} from '@solana-program/token';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Chain, Transfer } from '../../src/outside/chains/chain.ts';
import { TOKEN_PROGRAM } from '../support/solana/index.ts';
import { memo, solTransfer, tokenTransfer } from '../support/solana/transactions.ts';
import { newReference, TwoReaders } from '../support/solana/two-readers.ts';

let shop: TwoReaders;
beforeAll(async () => {
  shop = await TwoReaders.start();
});
afterAll(() => shop[Symbol.asyncDispose]());
beforeEach(() => shop.begin());

describe('several transfers in one transaction', () => {
  test('are reported one by one, each with the references of its own instruction, and none of them carries the memo', async () => {
    const [one, two] = [newReference(), newReference()];
    await shop.cluster.send(
      [
        await shop.pay(shop.merchant, 1n, [one]),
        await shop.pay(shop.merchant, 2n, [two]),
        await shop.pay(shop.other, 3n),
        solTransfer(shop.customer, shop.merchant.address, 4n),
        ...memo(one),
      ],
      { from: shop.customer },
    );

    const { transfers } = await shop.seen();

    expect(transfers.map(({ asset, to, amountUnits, carried }) => ({ asset, to, amountUnits, carried }))).toEqual([
      { asset: 'USDC', to: shop.merchant.address, amountUnits: 1n, carried: [base58.decode(one)] },
      { asset: 'USDC', to: shop.merchant.address, amountUnits: 2n, carried: [base58.decode(two)] },
      { asset: 'USDC', to: shop.other.address, amountUnits: 3n, carried: [] },
      { asset: 'SOL', to: shop.merchant.address, amountUnits: 4n, carried: [] },
    ]);
    expect(new Set(transfers.map((transfer) => transfer.index)).size).toBe(4);
  });

  test('are numbered the same whichever addresses are watched', async () => {
    await shop.cluster.send([await shop.pay(shop.merchant, 1n), await shop.pay(shop.other, 2n)], {
      from: shop.customer,
    });
    const { transfers: both } = await shop.seen();
    expect((await shop.seen([shop.other])).transfers).toEqual([both[1]]);
  });

  test('in one instruction of the token program count as well', async () => {
    const [one, two] = [await shop.pay(shop.merchant, 5n), await shop.pay(shop.other, 6n)];
    const data = Uint8Array.from([
      255,
      ...[one, two].flatMap((entry) => [entry.accounts?.length ?? 0, entry.data?.length ?? 0, ...(entry.data ?? [])]),
    ]);
    await shop.cluster.send(
      [
        {
          programAddress: TOKEN_PROGRAM,
          accounts: [...(one.accounts ?? []), ...(two.accounts ?? [])],
          data,
        } as Instruction,
      ],
      { from: shop.customer },
    );
    expect(await shop.money()).toEqual([
      { asset: 'USDC', from: shop.customer.address, to: shop.merchant.address, amountUnits: 5n },
      { asset: 'USDC', from: shop.customer.address, to: shop.other.address, amountUnits: 6n },
    ]);
  });

  test('of nothing are none, and neither is what went out again', async () => {
    await shop.cluster.send(
      [await shop.pay(shop.merchant, 0n, [newReference()]), solTransfer(shop.customer, shop.merchant.address, 0n)],
      {
        from: shop.customer,
      },
    );
    await shop.cluster.send([await shop.pay(shop.merchant, 7n), await shop.pay(shop.customer, 7n, [], shop.merchant)], {
      from: shop.customer,
    });
    expect(await shop.money()).toEqual([]);
  });

  test('of which a part went out again count with what stayed', async () => {
    const tag = newReference();
    await shop.cluster.send(
      [await shop.pay(shop.merchant, 10n, [tag]), await shop.pay(shop.customer, 3n, [], shop.merchant)],
      { from: shop.customer },
    );
    const { transfers } = await shop.seen();
    expect(transfers).toMatchObject([
      { asset: 'USDC', from: null, amountUnits: 7n, carried: [], unproven: [base58.decode(tag)] },
    ]);
  });
});

test('a transfer that was read while one wallet was watched stands while two are, and one that carries something else does not', async () => {
  const tag = newReference();
  const signature = await shop.cluster.send(
    [await shop.pay(shop.merchant, 1n), await shop.pay(shop.other, 2n), ...memo(tag)],
    {
      from: shop.customer,
    },
  );
  shop.cluster.finalize();
  const [chain] = shop.chains as [Chain];
  const both = { addresses: new Set([shop.merchant.address as string, shop.other.address]) };

  const hint = await chain.transaction(signature, { addresses: new Set([shop.merchant.address]) });

  const transfer = hint?.transfers[0] as Transfer;
  expect(transfer.carried).toEqual([base58.decode(tag)]);
  expect(await chain.check(transfer, both)).toMatchObject({ type: 'stands' });
  expect(await chain.check({ ...transfer, carried: [base58.decode(newReference())] }, both)).toMatchObject({
    type: 'disagree',
  });
});

describe('the debited account', () => {
  test('is the owner of the money, not who was allowed to move it, nor who pays the fee', async () => {
    const spender = await shop.cluster.newWallet();
    await shop.cluster.send(
      [
        getApproveInstruction({
          source: await shop.account(shop.customer),
          delegate: spender.address,
          owner: shop.customer,
          amount: 50n,
        }),
      ],
      { from: shop.customer },
    );
    const source = await shop.account(shop.customer);
    await shop.cluster.send(
      [
        tokenTransfer({
          source,
          mint: shop.usdc,
          destination: await shop.account(shop.merchant),
          authority: spender,
          amount: 50n,
          decimals: 6,
          program: TOKEN_PROGRAM,
        }),
        ...memo(newReference()),
      ],
      { from: spender },
    );
    await shop.cluster.transferSol({ from: shop.customer, feePayer: spender, to: shop.merchant.address, amount: 60n });
    expect(await shop.money()).toEqual([
      { asset: 'USDC', from: shop.customer.address, to: shop.merchant.address, amountUnits: 50n },
      { asset: 'SOL', from: shop.customer.address, to: shop.merchant.address, amountUnits: 60n },
    ]);
    // What the spender wrote beside it does not come from the payer either.
    expect((await shop.seen()).transfers.map((transfer) => transfer.carried)).toEqual([[], []]);
  });

  test('is unknown where the issuer mints to the wallet', async () => {
    await shop.cluster.send([
      getMintToInstruction({
        mint: shop.usdc as Address,
        token: await shop.account(shop.merchant),
        mintAuthority: shop.cluster.payer,
        amount: 70n,
      }),
    ]);
    expect(await shop.money()).toEqual([{ asset: 'USDC', from: null, to: shop.merchant.address, amountUnits: 70n }]);
  });
});

describe('hidden in the transaction', () => {
  test("a program's transfer inside its own instruction counts", async () => {
    const nested = await shop.cluster.tokenAccount(shop.usdc, await shop.account(shop.merchant));
    await shop.cluster.send(
      [
        getCreateAssociatedTokenIdempotentInstruction({
          payer: shop.customer,
          ata: nested,
          owner: await shop.account(shop.merchant),
          mint: shop.usdc as Address,
        }),
      ],
      { from: shop.customer },
    );
    await shop.cluster.send(
      [
        tokenTransfer({
          source: await shop.account(shop.customer),
          mint: shop.usdc,
          destination: nested,
          authority: shop.customer,
          amount: 97n,
          decimals: 6,
          program: TOKEN_PROGRAM,
        }),
      ],
      { from: shop.customer },
    );
    shop.begin();
    const recover = await getRecoverNestedAssociatedTokenInstructionAsync({
      walletAddress: shop.merchant,
      ownerTokenMintAddress: shop.usdc as Address,
      nestedTokenMintAddress: shop.usdc as Address,
    });
    await shop.cluster.send([recover], { from: shop.merchant });

    // The account in between is closed on the way.
    expect(await shop.money()).toEqual([
      { asset: 'USDC', from: await shop.account(shop.merchant), to: shop.merchant.address, amountUnits: 97n },
      { asset: 'SOL', from: null, to: shop.merchant.address, amountUnits: 2_039_280n },
    ]);
  });

  test('accounts and references from look-up tables are read', async () => {
    const tag = newReference();
    const table = await shop.cluster.createTable([await shop.account(shop.merchant), shop.usdc, tag]);
    shop.cluster.slots();
    const signature = await shop.cluster.send([await shop.pay(shop.merchant, 98n, [tag])], {
      from: shop.customer,
      tables: [table],
    });
    expect(
      shop.cluster.ledger.transactions
        .get(signature)
        ?.keys.filter((key) => key.source === 'lookupTable')
        .map((key) => key.address)
        .sort(),
    ).toEqual([await shop.account(shop.merchant), shop.usdc, tag].sort());
    expect((await shop.seen()).transfers).toMatchObject([
      { amountUnits: 98n, to: shop.merchant.address, carried: [base58.decode(tag)] },
    ]);
  });

  test('a transaction of the old form is read the same', async () => {
    const tag = newReference();
    await shop.cluster.send([await shop.pay(shop.merchant, 99n, [tag])], { from: shop.customer, legacy: true });
    expect((await shop.seen()).transfers).toMatchObject([{ amountUnits: 99n, carried: [base58.decode(tag)] }]);
  });

  test('a transfer without its mint is read the same', async () => {
    await shop.cluster.transferToken({
      mint: shop.usdc,
      from: shop.customer,
      to: shop.merchant.address,
      amount: 101n,
      checked: false,
    });
    expect(await shop.money()).toMatchObject([{ asset: 'USDC', amountUnits: 101n }]);
  });

  test('keys that sign or can be written are not references', async () => {
    const instruction = await shop.pay(shop.merchant, 102n);
    const accounts = [
      ...(instruction.accounts ?? []),
      { address: (await shop.cluster.newWallet()).address, role: AccountRole.WRITABLE },
    ];
    await shop.cluster.send([{ ...instruction, accounts }], { from: shop.customer });
    expect((await shop.seen()).transfers).toMatchObject([{ amountUnits: 102n, carried: [] }]);
  });
});

test('a failed transaction brings nothing, and shows what it would have paid', async () => {
  const tag = newReference();
  const signature = await shop.cluster.transferToken({
    mint: shop.usdc,
    from: shop.customer,
    to: shop.merchant.address,
    amount: 10n ** 15n,
    references: [tag],
  });
  expect(await shop.seen()).toEqual({
    transfers: [],
    reverted: [
      {
        txHash: signature,
        from: shop.customer.address,
        to: shop.merchant.address,
        amountUnits: 10n ** 15n,
        carried: [base58.decode(tag)],
      },
    ],
  });
});

test('a look-alike mint and one of the newer token program are passed over', async () => {
  for (const program of ['token', 'token-2022'] as const) {
    const fake = await shop.cluster.createMint({ program });
    await shop.cluster.mint(fake, shop.customer.address, 1_000n);
    await shop.cluster.transferToken({ mint: fake, from: shop.customer, to: shop.merchant.address, amount: 103n });
  }
  expect(await shop.money()).toEqual([]);
});
