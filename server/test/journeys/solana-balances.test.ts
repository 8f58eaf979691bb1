import { base58 } from '@scure/base';
import type { Address, KeyPairSigner } from '@solana/kit';
import {
  AuthorityType,
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getSetAuthorityInstruction,
  getSyncNativeInstruction,
} from '@solana-program/token';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Chain, Transfer } from '../../src/outside/chains/chain.ts';
import { TOKEN_PROGRAM } from '../support/solana/index.ts';
import { memo, solTransfer, tokenTransfer } from '../support/solana/transactions.ts';
import { newReference, TwoReaders } from '../support/solana/two-readers.ts';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';

let shop: TwoReaders;
beforeAll(async () => {
  shop = await TwoReaders.start();
});
afterAll(() => shop[Symbol.asyncDispose]());
beforeEach(() => shop.begin());

describe("the wallet's own doings", () => {
  test('a payment to itself does not count, and its fees hide nothing', async () => {
    await shop.cluster.transferSol({ from: shop.merchant, to: shop.merchant.address, amount: 80n });
    await shop.cluster.transferToken({ mint: shop.usdc, from: shop.merchant, to: shop.merchant.address, amount: 80n });
    await shop.cluster.transferSol({
      from: shop.customer,
      feePayer: shop.merchant,
      to: shop.merchant.address,
      amount: 81n,
    });
    expect(await shop.money()).toEqual([
      { asset: 'SOL', from: shop.customer.address, to: shop.merchant.address, amountUnits: 81n },
    ]);
  });

  test('a withdrawal from its own token accounts is not income', async () => {
    const mint = await shop.cluster.createMint();
    const empty = await shop.account(shop.merchant, mint);
    await shop.cluster.send(
      [
        getCreateAssociatedTokenIdempotentInstruction({
          payer: shop.customer,
          ata: empty,
          owner: shop.merchant.address,
          mint: mint as Address,
        }),
      ],
      { from: shop.customer },
    );
    await shop.cluster.send(
      [getCloseAccountInstruction({ account: empty, destination: shop.merchant.address, owner: shop.merchant })],
      { from: shop.merchant },
    );
    const wrapped = await wrap(shop.merchant, 5_000n);
    await shop.cluster.send(
      [getCloseAccountInstruction({ account: wrapped, destination: shop.merchant.address, owner: shop.merchant })],
      { from: shop.merchant },
    );
    expect(await shop.money()).toEqual([]);
  });

  test('making its token account on the way costs the customer and adds nothing to the payment', async () => {
    const fresh = await shop.cluster.newWallet(0n);
    await shop.cluster.transferToken({ mint: shop.usdc, from: shop.customer, to: fresh.address, amount: 90n });
    expect(await shop.money([fresh])).toEqual([
      { asset: 'USDC', from: shop.customer.address, to: fresh.address, amountUnits: 90n },
    ]);
  });
});

describe('money without a transfer that spells it out', () => {
  test('unwrapped to the wallet is what the lamports say', async () => {
    const wrapped = await wrap(shop.customer, 5_000n);
    await shop.cluster.send(
      [getCloseAccountInstruction({ account: wrapped, destination: shop.merchant.address, owner: shop.customer })],
      { from: shop.customer },
    );
    expect(await shop.money()).toEqual([
      { asset: 'SOL', from: null, to: shop.merchant.address, amountUnits: 5_000n + 2_039_280n },
    ]);
  });

  test('has no sender and carries nothing, however much another account moves and writes beside it', async () => {
    const [tag, memoTag] = [newReference(), newReference()];
    const [attacker, hoard] = [await shop.cluster.newWallet(10_000_000_000n), await shop.cluster.newWallet()];
    const wrapped = await wrap(shop.customer, 5_000n);
    shop.begin();
    await shop.cluster.send(
      [
        getCloseAccountInstruction({ account: wrapped, destination: shop.merchant.address, owner: shop.customer }),
        solTransfer(attacker, hoard.address, 5_000_000_000n),
        solTransfer(attacker, shop.merchant.address, 1n, [tag]),
        ...memo(memoTag),
      ],
      { from: attacker },
    );

    const { transfers } = await shop.seen();

    expect(transfers).toMatchObject([
      {
        asset: 'SOL',
        from: null,
        to: shop.merchant.address,
        amountUnits: 5_000n + 2_039_280n + 1n,
        carried: [],
        unproven: [base58.decode(tag), base58.decode(memoTag)],
      },
    ]);
    shop.cluster.finalize();
    const [chain] = shop.chains as [Chain];
    const watching = { addresses: new Set([shop.merchant.address as string]) };
    expect(await chain.check(transfers[0] as Transfer, watching)).toMatchObject({ type: 'stands' });
    expect(await chain.check({ ...(transfers[0] as Transfer), carried: [base58.decode(tag)] }, watching)).toMatchObject(
      { type: 'disagree' },
    );
  });

  test('in an account that was given to the wallet is what it holds', async () => {
    const giver = await shop.cluster.newWallet();
    await shop.cluster.mint(shop.usdc, giver.address, 95n);
    shop.begin();
    await shop.cluster.send(
      [
        getSetAuthorityInstruction({
          owned: await shop.account(giver),
          owner: giver,
          authorityType: AuthorityType.AccountOwner,
          newAuthority: shop.merchant.address,
        }),
        solTransfer(giver, shop.merchant.address, 96n),
      ],
      { from: giver },
    );
    expect(await shop.money()).toEqual([
      { asset: 'SOL', from: giver.address, to: shop.merchant.address, amountUnits: 96n },
      { asset: 'USDC', from: null, to: shop.merchant.address, amountUnits: 95n },
    ]);
  });

  test('wrapped SOL is not a supported coin', async () => {
    const source = await wrap(shop.customer, 5_000n);
    const destination = await shop.cluster.tokenAccount(WRAPPED_SOL, shop.merchant.address);
    await shop.cluster.send(
      [
        getCreateAssociatedTokenIdempotentInstruction({
          payer: shop.customer,
          ata: destination,
          owner: shop.merchant.address,
          mint: WRAPPED_SOL as Address,
        }),
        tokenTransfer({
          source,
          mint: WRAPPED_SOL,
          destination,
          authority: shop.customer,
          amount: 5_000n,
          decimals: 9,
          program: TOKEN_PROGRAM,
        }),
      ],
      { from: shop.customer },
    );
    expect(await shop.money()).toEqual([]);
  });
});

async function wrap(owner: KeyPairSigner, amount: bigint): Promise<Address> {
  const wrapped = await shop.cluster.tokenAccount(WRAPPED_SOL, owner.address);
  await shop.cluster.send(
    [
      getCreateAssociatedTokenIdempotentInstruction({
        payer: owner,
        ata: wrapped,
        owner: owner.address,
        mint: WRAPPED_SOL as Address,
      }),
      solTransfer(owner, wrapped, amount),
      getSyncNativeInstruction({ account: wrapped }),
    ],
    { from: owner },
  );
  return wrapped;
}
