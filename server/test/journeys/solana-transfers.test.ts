import { base58 } from '@scure/base';
import { AccountRole, type Address, type Instruction, type KeyPairSigner } from '@solana/kit';
import {
  AuthorityType,
  getApproveInstruction,
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getMintToInstruction,
  getRecoverNestedAssociatedTokenInstructionAsync,
  getSetAuthorityInstruction,
  getSyncNativeInstruction,
} from '@solana-program/token';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BlockRef, Chain, Reading, Transfer } from '../../src/outside/chains/chain.ts';
import { createSolanaChain } from '../../src/outside/chains/solana/chain.ts';
import { startSolana, type TestSolana, TOKEN_PROGRAM } from '../support/solana/index.ts';
import { memo, solTransfer, tokenTransfer } from '../support/solana/transactions.ts';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';

let cluster: TestSolana;
let usdc: string;
let merchant: KeyPairSigner;
let other: KeyPairSigner;
let customer: KeyPairSigner;
let before: BlockRef;
const chains: Chain[] = [];

beforeAll(async () => {
  cluster = await startSolana();
  usdc = await cluster.createMint();
  [merchant, other, customer] = await Promise.all([cluster.newWallet(), cluster.newWallet(), cluster.newWallet()]);
  for (const wallet of [merchant, other, customer]) await cluster.mint(usdc, wallet.address, 1_000_000_000_000n);
  for (const tuning of [{}, { wholeBlocksAbove: 0, historiesPerBlock: 0 }]) {
    chains.push(
      createSolanaChain(
        {
          rpcUrls: [cluster.url],
          genesisHash: cluster.genesisHash,
          tokens: { USDC: usdc },
          tuning: { historiesPerSecond: Number.POSITIVE_INFINITY, ...tuning },
        },
        pino({ level: 'silent' }),
      ),
    );
  }
});
afterAll(async () => {
  for (const chain of chains) await chain.close();
  await cluster.stop();
});
beforeEach(() => {
  before = cluster.head();
});

/** What both ways of reading find since the test began; they must agree. */
async function seen(
  watched: readonly KeyPairSigner[] = [merchant, other],
): Promise<Pick<Reading, 'transfers' | 'reverted'>> {
  const [byWallet, byBlock] = await Promise.all(
    chains.map(async (chain) => {
      const reading = await chain.read({
        after: before,
        until: await chain.head('first'),
        watching: { addresses: new Set(watched.map((wallet) => wallet.address)) },
        pass: 'first',
      });
      return { transfers: reading.transfers, reverted: reading.reverted };
    }),
  );
  expect(byWallet).toEqual(byBlock);
  return byWallet as Pick<Reading, 'transfers' | 'reverted'>;
}

const money = async (watched?: readonly KeyPairSigner[]) =>
  (await seen(watched)).transfers.map(({ asset, from, to, amountUnits }) => ({ asset, from, to, amountUnits }));
const account = (owner: KeyPairSigner, mint = usdc) => cluster.tokenAccount(mint, owner.address);
const reference = () => base58.encode(crypto.getRandomValues(new Uint8Array(32)));
const pay = async (
  to: KeyPairSigner,
  amount: bigint,
  references: readonly string[] = [],
  from = customer,
): Promise<Instruction> =>
  tokenTransfer({
    source: await account(from),
    mint: usdc,
    destination: await account(to),
    authority: from,
    amount,
    decimals: 6,
    program: TOKEN_PROGRAM,
    references,
  });

describe('several transfers in one transaction', () => {
  test('are reported one by one, each with the references of its own instruction, and none of them carries the memo', async () => {
    const [one, two] = [reference(), reference()];
    await cluster.send(
      [
        await pay(merchant, 1n, [one]),
        await pay(merchant, 2n, [two]),
        await pay(other, 3n),
        solTransfer(customer, merchant.address, 4n),
        ...memo(one),
      ],
      { from: customer },
    );

    const { transfers } = await seen();

    expect(transfers.map(({ asset, to, amountUnits, carried }) => ({ asset, to, amountUnits, carried }))).toEqual([
      { asset: 'USDC', to: merchant.address, amountUnits: 1n, carried: [base58.decode(one)] },
      { asset: 'USDC', to: merchant.address, amountUnits: 2n, carried: [base58.decode(two)] },
      { asset: 'USDC', to: other.address, amountUnits: 3n, carried: [] },
      { asset: 'SOL', to: merchant.address, amountUnits: 4n, carried: [] },
    ]);
    expect(new Set(transfers.map((transfer) => transfer.index)).size).toBe(4);
  });

  test('are numbered the same whichever addresses are watched', async () => {
    await cluster.send([await pay(merchant, 1n), await pay(other, 2n)], { from: customer });
    const { transfers: both } = await seen();
    expect((await seen([other])).transfers).toEqual([both[1]]);
  });

  test('in one instruction of the token program count as well', async () => {
    const [one, two] = [await pay(merchant, 5n), await pay(other, 6n)];
    const data = Uint8Array.from([
      255,
      ...[one, two].flatMap((entry) => [entry.accounts?.length ?? 0, entry.data?.length ?? 0, ...(entry.data ?? [])]),
    ]);
    await cluster.send(
      [
        {
          programAddress: TOKEN_PROGRAM,
          accounts: [...(one.accounts ?? []), ...(two.accounts ?? [])],
          data,
        } as Instruction,
      ],
      { from: customer },
    );
    expect(await money()).toEqual([
      { asset: 'USDC', from: customer.address, to: merchant.address, amountUnits: 5n },
      { asset: 'USDC', from: customer.address, to: other.address, amountUnits: 6n },
    ]);
  });

  test('of nothing are none, and neither is what went out again', async () => {
    await cluster.send([await pay(merchant, 0n, [reference()]), solTransfer(customer, merchant.address, 0n)], {
      from: customer,
    });
    await cluster.send([await pay(merchant, 7n), await pay(customer, 7n, [], merchant)], { from: customer });
    expect(await money()).toEqual([]);
  });

  test('of which a part went out again count with what stayed', async () => {
    const tag = reference();
    await cluster.send([await pay(merchant, 10n, [tag]), await pay(customer, 3n, [], merchant)], { from: customer });
    const { transfers } = await seen();
    expect(transfers).toMatchObject([
      { asset: 'USDC', from: null, amountUnits: 7n, carried: [], unproven: [base58.decode(tag)] },
    ]);
  });
});

test('a transfer that was read while one wallet was watched stands while two are, and one that carries something else does not', async () => {
  const tag = reference();
  const signature = await cluster.send([await pay(merchant, 1n), await pay(other, 2n), ...memo(tag)], {
    from: customer,
  });
  cluster.finalize();
  const [chain] = chains as [Chain];
  const both = { addresses: new Set([merchant.address as string, other.address]) };

  const hint = await chain.transaction(signature, { addresses: new Set([merchant.address]) });

  const transfer = hint?.transfers[0] as Transfer;
  expect(transfer.carried).toEqual([base58.decode(tag)]);
  expect(await chain.check(transfer, both)).toMatchObject({ type: 'stands' });
  expect(await chain.check({ ...transfer, carried: [base58.decode(reference())] }, both)).toMatchObject({
    type: 'disagree',
  });
});

describe('the debited account', () => {
  test('is the owner of the money, not who was allowed to move it, nor who pays the fee', async () => {
    const spender = await cluster.newWallet();
    await cluster.send(
      [
        getApproveInstruction({
          source: await account(customer),
          delegate: spender.address,
          owner: customer,
          amount: 50n,
        }),
      ],
      { from: customer },
    );
    const source = await account(customer);
    await cluster.send(
      [
        tokenTransfer({
          source,
          mint: usdc,
          destination: await account(merchant),
          authority: spender,
          amount: 50n,
          decimals: 6,
          program: TOKEN_PROGRAM,
        }),
        ...memo(reference()),
      ],
      { from: spender },
    );
    await cluster.transferSol({ from: customer, feePayer: spender, to: merchant.address, amount: 60n });
    expect(await money()).toEqual([
      { asset: 'USDC', from: customer.address, to: merchant.address, amountUnits: 50n },
      { asset: 'SOL', from: customer.address, to: merchant.address, amountUnits: 60n },
    ]);
    // What the spender wrote beside it does not come from the payer either.
    expect((await seen()).transfers.map((transfer) => transfer.carried)).toEqual([[], []]);
  });

  test('is unknown where the issuer mints to the wallet', async () => {
    await cluster.send([
      getMintToInstruction({
        mint: usdc as Address,
        token: await account(merchant),
        mintAuthority: cluster.payer,
        amount: 70n,
      }),
    ]);
    expect(await money()).toEqual([{ asset: 'USDC', from: null, to: merchant.address, amountUnits: 70n }]);
  });
});

describe("the wallet's own doings", () => {
  test('a payment to itself does not count, and its fees hide nothing', async () => {
    await cluster.transferSol({ from: merchant, to: merchant.address, amount: 80n });
    await cluster.transferToken({ mint: usdc, from: merchant, to: merchant.address, amount: 80n });
    await cluster.transferSol({ from: customer, feePayer: merchant, to: merchant.address, amount: 81n });
    expect(await money()).toEqual([{ asset: 'SOL', from: customer.address, to: merchant.address, amountUnits: 81n }]);
  });

  test('a withdrawal from its own token accounts is not income', async () => {
    const mint = await cluster.createMint();
    const empty = await account(merchant, mint);
    await cluster.send(
      [
        getCreateAssociatedTokenIdempotentInstruction({
          payer: customer,
          ata: empty,
          owner: merchant.address,
          mint: mint as Address,
        }),
      ],
      { from: customer },
    );
    await cluster.send(
      [getCloseAccountInstruction({ account: empty, destination: merchant.address, owner: merchant })],
      { from: merchant },
    );
    const wrapped = await wrap(merchant, 5_000n);
    await cluster.send(
      [getCloseAccountInstruction({ account: wrapped, destination: merchant.address, owner: merchant })],
      { from: merchant },
    );
    expect(await money()).toEqual([]);
  });

  test('making its token account on the way costs the customer and adds nothing to the payment', async () => {
    const fresh = await cluster.newWallet(0n);
    await cluster.transferToken({ mint: usdc, from: customer, to: fresh.address, amount: 90n });
    expect(await money([fresh])).toEqual([
      { asset: 'USDC', from: customer.address, to: fresh.address, amountUnits: 90n },
    ]);
  });
});

describe('money without a transfer that spells it out', () => {
  test('unwrapped to the wallet is what the lamports say', async () => {
    const wrapped = await wrap(customer, 5_000n);
    await cluster.send(
      [getCloseAccountInstruction({ account: wrapped, destination: merchant.address, owner: customer })],
      { from: customer },
    );
    expect(await money()).toEqual([
      { asset: 'SOL', from: null, to: merchant.address, amountUnits: 5_000n + 2_039_280n },
    ]);
  });

  test('has no sender and carries nothing, however much another account moves and writes beside it', async () => {
    const [tag, memoTag] = [reference(), reference()];
    const [attacker, hoard] = [await cluster.newWallet(10_000_000_000n), await cluster.newWallet()];
    const wrapped = await wrap(customer, 5_000n);
    before = cluster.head();
    await cluster.send(
      [
        getCloseAccountInstruction({ account: wrapped, destination: merchant.address, owner: customer }),
        solTransfer(attacker, hoard.address, 5_000_000_000n),
        solTransfer(attacker, merchant.address, 1n, [tag]),
        ...memo(memoTag),
      ],
      { from: attacker },
    );

    const { transfers } = await seen();

    expect(transfers).toMatchObject([
      {
        asset: 'SOL',
        from: null,
        to: merchant.address,
        amountUnits: 5_000n + 2_039_280n + 1n,
        carried: [],
        unproven: [base58.decode(tag), base58.decode(memoTag)],
      },
    ]);
    cluster.finalize();
    const [chain] = chains as [Chain];
    const watching = { addresses: new Set([merchant.address as string]) };
    expect(await chain.check(transfers[0] as Transfer, watching)).toMatchObject({ type: 'stands' });
    expect(await chain.check({ ...(transfers[0] as Transfer), carried: [base58.decode(tag)] }, watching)).toMatchObject(
      { type: 'disagree' },
    );
  });

  test('in an account that was given to the wallet is what it holds', async () => {
    const giver = await cluster.newWallet();
    await cluster.mint(usdc, giver.address, 95n);
    before = cluster.head();
    await cluster.send(
      [
        getSetAuthorityInstruction({
          owned: await account(giver),
          owner: giver,
          authorityType: AuthorityType.AccountOwner,
          newAuthority: merchant.address,
        }),
        solTransfer(giver, merchant.address, 96n),
      ],
      { from: giver },
    );
    expect(await money()).toEqual([
      { asset: 'SOL', from: giver.address, to: merchant.address, amountUnits: 96n },
      { asset: 'USDC', from: null, to: merchant.address, amountUnits: 95n },
    ]);
  });

  test('wrapped SOL is not a supported coin', async () => {
    const source = await wrap(customer, 5_000n);
    const destination = await cluster.tokenAccount(WRAPPED_SOL, merchant.address);
    await cluster.send(
      [
        getCreateAssociatedTokenIdempotentInstruction({
          payer: customer,
          ata: destination,
          owner: merchant.address,
          mint: WRAPPED_SOL as Address,
        }),
        tokenTransfer({
          source,
          mint: WRAPPED_SOL,
          destination,
          authority: customer,
          amount: 5_000n,
          decimals: 9,
          program: TOKEN_PROGRAM,
        }),
      ],
      { from: customer },
    );
    expect(await money()).toEqual([]);
  });
});

describe('hidden in the transaction', () => {
  test("a program's transfer inside its own instruction counts", async () => {
    const nested = await cluster.tokenAccount(usdc, await account(merchant));
    await cluster.send(
      [
        getCreateAssociatedTokenIdempotentInstruction({
          payer: customer,
          ata: nested,
          owner: await account(merchant),
          mint: usdc as Address,
        }),
      ],
      { from: customer },
    );
    await cluster.send(
      [
        tokenTransfer({
          source: await account(customer),
          mint: usdc,
          destination: nested,
          authority: customer,
          amount: 97n,
          decimals: 6,
          program: TOKEN_PROGRAM,
        }),
      ],
      { from: customer },
    );
    before = cluster.head();
    const recover = await getRecoverNestedAssociatedTokenInstructionAsync({
      walletAddress: merchant,
      ownerTokenMintAddress: usdc as Address,
      nestedTokenMintAddress: usdc as Address,
    });
    await cluster.send([recover], { from: merchant });

    // The account in between is closed on the way.
    expect(await money()).toEqual([
      { asset: 'USDC', from: await account(merchant), to: merchant.address, amountUnits: 97n },
      { asset: 'SOL', from: null, to: merchant.address, amountUnits: 2_039_280n },
    ]);
  });

  test('accounts and references from look-up tables are read', async () => {
    const tag = reference();
    const table = await cluster.createTable([await account(merchant), usdc, tag]);
    cluster.slots();
    const signature = await cluster.send([await pay(merchant, 98n, [tag])], { from: customer, tables: [table] });
    expect(
      cluster.ledger.transactions
        .get(signature)
        ?.keys.filter((key) => key.source === 'lookupTable')
        .map((key) => key.address)
        .sort(),
    ).toEqual([await account(merchant), usdc, tag].sort());
    expect((await seen()).transfers).toMatchObject([
      { amountUnits: 98n, to: merchant.address, carried: [base58.decode(tag)] },
    ]);
  });

  test('a transaction of the old form is read the same', async () => {
    const tag = reference();
    await cluster.send([await pay(merchant, 99n, [tag])], { from: customer, legacy: true });
    expect((await seen()).transfers).toMatchObject([{ amountUnits: 99n, carried: [base58.decode(tag)] }]);
  });

  test('a transfer without its mint is read the same', async () => {
    await cluster.transferToken({ mint: usdc, from: customer, to: merchant.address, amount: 101n, checked: false });
    expect(await money()).toMatchObject([{ asset: 'USDC', amountUnits: 101n }]);
  });

  test('keys that sign or can be written are not references', async () => {
    const instruction = await pay(merchant, 102n);
    const accounts = [
      ...(instruction.accounts ?? []),
      { address: (await cluster.newWallet()).address, role: AccountRole.WRITABLE },
    ];
    await cluster.send([{ ...instruction, accounts }], { from: customer });
    expect((await seen()).transfers).toMatchObject([{ amountUnits: 102n, carried: [] }]);
  });
});

test('a failed transaction brings nothing, and shows what it would have paid', async () => {
  const tag = reference();
  const signature = await cluster.transferToken({
    mint: usdc,
    from: customer,
    to: merchant.address,
    amount: 10n ** 15n,
    references: [tag],
  });
  expect(await seen()).toEqual({
    transfers: [],
    reverted: [{ txHash: signature, to: merchant.address, carried: [base58.decode(tag)] }],
  });
});

test('a look-alike mint and one of the newer token program are passed over', async () => {
  for (const program of ['token', 'token-2022'] as const) {
    const fake = await cluster.createMint({ program });
    await cluster.mint(fake, customer.address, 1_000n);
    await cluster.transferToken({ mint: fake, from: customer, to: merchant.address, amount: 103n });
  }
  expect(await money()).toEqual([]);
});

async function wrap(owner: KeyPairSigner, amount: bigint): Promise<Address> {
  const wrapped = await cluster.tokenAccount(WRAPPED_SOL, owner.address);
  await cluster.send(
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
