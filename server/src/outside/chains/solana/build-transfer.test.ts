import { getBase64Encoder, getTransactionDecoder, getTransactionEncoder, signTransaction } from '@solana/kit';
import { base58 } from '@scure/base';
import { expect, test } from 'vitest';
import { startSolana } from '../../../../test/support/solana/index.ts';
import { buildTransfer } from './build-transfer.ts';

const reference = base58.encode(new Uint8Array(32).fill(9));

test.each([
  ['USDC', 'x'],
  ['USDC', undefined],
  ['SOL', 'x'],
  ['SOL', undefined],
] as const)(
  'a transfer of %s with memo %s is accepted by the runtime and carries the reference',
  async (asset, memo) => {
    await using cluster = await startSolana();
    const [customer, merchant] = [await cluster.newWallet(), await cluster.newWallet(0n)];
    const mint = await cluster.createMint();
    await cluster.mint(mint, customer.address, 50_000_000n);

    const request = {
      from: customer.address,
      to: merchant.address,
      asset,
      amountUnits: 5_000_123n,
      reference,
      recentBlockhash: cluster.head().hash,
      tokens: { USDC: mint },
      ...(memo && { memo }),
    };
    const first = await sign(customer.keyPair, await buildTransfer(request));
    cluster.ledger.execute(first);
    cluster.slots();
    // The second time the token account already exists.
    const { signature } = cluster.ledger.execute(
      await sign(customer.keyPair, await buildTransfer({ ...request, recentBlockhash: cluster.head().hash })),
    );
    cluster.slots();

    expect(cluster.ledger.transactions.get(signature)).toMatchObject({
      err: null,
      memo: memo === undefined ? null : '[1] x',
    });
    expect(
      asset === 'SOL' ? cluster.ledger.svm.getBalance(merchant.address) : await cluster.balance(mint, merchant.address),
    ).toBe(10_000_246n);
    expect(cluster.rpc('getSignaturesForAddress', [reference, { commitment: 'confirmed' }])).toHaveLength(2);
  },
);

test('eight transfers to eight new wallets fit into one transaction', async () => {
  await using cluster = await startSolana();
  const sender = await cluster.newWallet();
  const mint = await cluster.createMint();
  await cluster.mint(mint, sender.address, 50_000_000n);
  const wallets = await Promise.all(Array.from({ length: 8 }, () => cluster.newWallet(0n)));
  const [first, ...rest] = wallets.map(({ address: to }, at) => ({
    to,
    asset: 'USDC' as const,
    amountUnits: 1_000_000n + BigInt(at),
  }));
  const built = await buildTransfer({
    from: sender.address,
    ...(first as { to: string; asset: 'USDC'; amountUnits: bigint }),
    also: rest,
    reference: null,
    recentBlockhash: cluster.head().hash,
    tokens: { USDC: mint },
  });
  cluster.ledger.execute(await sign(sender.keyPair, built));
  cluster.slots();
  for (const [at, { address }] of wallets.entries())
    expect(await cluster.balance(mint, address)).toBe(1_000_000n + BigInt(at));
});

async function sign(key: Parameters<typeof signTransaction>[0][number], base64: string): Promise<Uint8Array> {
  const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(base64));
  return Uint8Array.from(getTransactionEncoder().encode(await signTransaction([key], transaction as never)));
}
