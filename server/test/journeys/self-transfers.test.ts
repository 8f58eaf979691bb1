import { getApproveInstruction } from '@solana-program/token';
import type { Address as SolanaAddress, KeyPairSigner } from '@solana/kit';
import { pino } from 'pino';
import { type Address, encodeFunctionData } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Chain } from '../../src/outside/chains/chain.ts';
import { createEvmChain } from '../../src/outside/chains/evm/chain.ts';
import { createSolanaChain } from '../../src/outside/chains/solana/chain.ts';
import { startAnvil, type TestChain } from '../support/anvil.ts';
import contracts from '../support/contracts/contracts.json' with { type: 'json' };
import { startSolana, type TestSolana, TOKEN_PROGRAM } from '../support/solana/index.ts';
import { tokenTransfer } from '../support/solana/transactions.ts';

const log = pino({ level: 'silent' });
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

/** The self-transfers of an address in a transaction that every provider confirms. */
async function selfTransfers(chain: Chain, txHash: string, address: string) {
  const watching = { addresses: new Set([address]), selfTransfers: true as const };
  const found = (await chain.transaction(txHash, watching))?.transfers ?? [];
  for (const transfer of found) expect(await chain.check(transfer, watching)).toMatchObject({ type: 'stands' });
  return found.map(({ asset, from, to, amountUnits }) => ({ asset, from, to, amountUnits }));
}

describe('on an Ethereum-compatible network', () => {
  const { abi } = contracts.TestToken;
  let node: TestChain;
  let usdc: Address;
  let wallet: Address;
  let chain: Chain;
  beforeAll(async () => {
    node = stack.use(await startAnvil());
    usdc = await node.deployToken();
    wallet = await node.deploy('Batcher');
    await node.transferErc20({ token: usdc, to: wallet, amount: 1_000_000n });
    chain = createEvmChain(
      { network: 'ethereum', rpcUrls: [node.url], chainId: node.chainId, tokens: { USDC: usdc } },
      log,
    );
    stack.defer(() => chain.close());
  });

  test('a contract wallet that calls the token itself is shown', async () => {
    const data = encodeFunctionData({ abi, functionName: 'transfer', args: [wallet, 4_321n] });
    const txHash = await node.batch(wallet, [{ target: usdc, data }]);
    expect(await selfTransfers(chain, txHash, wallet)).toEqual([
      { asset: 'USDC', from: wallet, to: wallet, amountUnits: 4_321n },
    ]);
  });

  test('a spender with an allowance moves the same money and is not shown', async () => {
    const spender = node.accounts[3]?.address as Address;
    await node.batch(wallet, [
      { target: usdc, data: encodeFunctionData({ abi, functionName: 'approve', args: [spender, 1_000_000n] }) },
    ]);
    const data = encodeFunctionData({ abi, functionName: 'transferFrom', args: [wallet, wallet, 4_321n] });
    const txHash = await node.send({ from: spender, to: usdc, data });
    expect(await selfTransfers(chain, txHash, wallet)).toEqual([]);
  });
});

describe('on Solana', () => {
  let cluster: TestSolana;
  let usdc: string;
  let wallet: KeyPairSigner;
  let delegate: KeyPairSigner;
  let account: SolanaAddress;
  let chain: Chain;
  beforeAll(async () => {
    cluster = stack.use(await startSolana());
    usdc = await cluster.createMint();
    [wallet, delegate] = await Promise.all([cluster.newWallet(), cluster.newWallet()]);
    await cluster.mint(usdc, wallet.address, 1_000_000n);
    account = await cluster.tokenAccount(usdc, wallet.address);
    chain = createSolanaChain(
      { rpcUrls: [cluster.url], genesisHash: cluster.genesisHash, tokens: { USDC: usdc } },
      log,
    );
    stack.defer(() => chain.close());
  });
  const moveBy = (authority: KeyPairSigner) =>
    cluster.send(
      [
        tokenTransfer({
          source: account,
          mint: usdc,
          destination: account,
          authority,
          amount: 4_321n,
          decimals: 6,
          program: TOKEN_PROGRAM,
          references: [],
        }),
      ],
      { from: authority },
    );

  test('tokens and SOL that a wallet sends to itself are shown', async () => {
    const token = await moveBy(wallet);
    const sol = await cluster.transferSol({ from: wallet, to: wallet.address, amount: 77n });
    expect(await selfTransfers(chain, token, wallet.address)).toEqual([
      { asset: 'USDC', from: wallet.address, to: wallet.address, amountUnits: 4_321n },
    ]);
    expect(await selfTransfers(chain, sol, wallet.address)).toEqual([
      { asset: 'SOL', from: wallet.address, to: wallet.address, amountUnits: 77n },
    ]);
  });

  test('a delegate moves the same tokens and is not shown', async () => {
    await cluster.send(
      [getApproveInstruction({ source: account, delegate: delegate.address, owner: wallet, amount: 1_000_000n })],
      { from: wallet },
    );
    expect(await selfTransfers(chain, await moveBy(delegate), wallet.address)).toEqual([]);
  });
});
