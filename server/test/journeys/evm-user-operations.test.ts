import { encodeFunctionData, type Hex } from 'viem';
import { entryPoint06Abi, entryPoint06Address, entryPoint07Abi, entryPoint07Address } from 'viem/account-abstraction';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BlockRef, Chain } from '../../src/outside/chains/chain.ts';
import { buildTag } from '../../src/outside/chains/evm/tag.ts';
import { calldata, startAnvil, type TestChain, transferCalldata } from '../support/anvil.ts';
import {
  execute,
  hex,
  openChain,
  OTHER_REFERENCE,
  PROVEN,
  readAfter,
  references,
  SHOP,
  TAG,
  UNPROVEN,
  WATCHING,
} from '../support/evm-references.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';

let anvil: TestChain;
let token: Hex;
let vault: Hex;
let wallet: Hex;
let otherWallet: Hex;
let attacker: Hex;
let one: RpcProxy;
let two: RpcProxy;
let chain: Chain;
let start: BlockRef;

beforeAll(async () => {
  anvil = await startAnvil();
  token = await anvil.deployToken();
  vault = await anvil.deploy('Release');
  wallet = await anvil.deploy('Batcher');
  otherWallet = await anvil.deploy('Batcher');
  attacker = anvil.accounts[2]?.address as Hex;
  for (const holder of [vault, wallet, otherWallet])
    await anvil.send({ to: token, data: calldata('TestToken', 'mint', [holder, 1_000_000_000n]) });
  for (const at of [entryPoint06Address, entryPoint07Address]) await anvil.deploy('TestEntryPoint', [], { at });
});

afterAll(() => anvil.stop());

beforeEach(async () => {
  start = await anvil.head();
  one = await startRpcProxy(anvil.url);
  two = await startRpcProxy(anvil.url);
  chain = openChain(anvil, { rpcUrls: [one.url, two.url], usdc: token });
});

afterEach(async () => {
  await chain.close();
  await Promise.all([one.stop(), two.stop()]);
});

const readNew = () => readAfter(chain, start);

describe('a bundle of user operations (ERC-4337)', () => {
  const zero = `0x${'00'.repeat(32)}` as const;
  const common = { initCode: '0x', preVerificationGas: 0n, paymasterAndData: '0x', signature: '0x' } as const;
  const packed = { ...common, accountGasLimits: zero, gasFees: zero } as const;
  const unpacked = {
    ...common,
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
  } as const;
  const pays = (tag?: Uint8Array) => execute([{ target: token, data: transferCalldata(SHOP, 7n, tag) }]);
  const bundle = (to: Hex, data: Hex) => anvil.send({ from: attacker, to, data, gas: 3_000_000n });

  beforeEach(() => {
    for (const proxy of [one, two]) proxy.refused = ['debug_', 'trace_'];
  });

  test.each([
    [
      '0.7 and later',
      entryPoint07Address,
      (ops: { sender: Hex; nonce: bigint; callData: Hex }[]) =>
        encodeFunctionData({
          abi: entryPoint07Abi,
          functionName: 'handleOps',
          args: [ops.map((op) => ({ ...packed, ...op })), attacker],
        }),
    ],
    [
      '0.6',
      entryPoint06Address,
      (ops: { sender: Hex; nonce: bigint; callData: Hex }[]) =>
        encodeFunctionData({
          abi: entryPoint06Abi,
          functionName: 'handleOps',
          args: [ops.map((op) => ({ ...unpacked, ...op })), attacker],
        }),
    ],
  ])('version %s: only the operation of the payer speaks for its money', async (_version, entryPoint, encode) => {
    await bundle(
      entryPoint,
      encode([
        { sender: otherWallet, nonce: 5n, callData: pays(buildTag(OTHER_REFERENCE)) },
        { sender: wallet, nonce: 6n, callData: pays(TAG) },
      ]),
    );

    const transfers = await readNew();

    expect(transfers.map(({ from }) => from)).toEqual([otherWallet, wallet]);
    expect(references(transfers)).toEqual([{ carried: [hex(OTHER_REFERENCE)], unproven: [] }, PROVEN]);
    for (const transfer of transfers)
      expect(await chain.check(transfer, WATCHING)).toMatchObject({ type: 'stands', providers: { length: 2 } });
  });

  test("a reference in another's operation proves nothing", async () => {
    const release = execute([{ target: vault, data: calldata('Release', 'release', [token, SHOP, 7n]) }]);
    const behind = `${release}${transferCalldata(SHOP, 7n, TAG).slice(2)}` as Hex;
    await bundle(
      entryPoint07Address,
      encodeFunctionData({
        abi: entryPoint07Abi,
        functionName: 'handleOps',
        args: [
          [
            { ...packed, sender: otherWallet, nonce: 7n, callData: behind },
            { ...packed, sender: wallet, nonce: 8n, callData: pays() },
          ],
          attacker,
        ],
      }),
    );

    const transfers = await readNew();

    expect(transfers.map(({ from }) => from)).toEqual([vault, wallet]);
    expect(references(transfers)).toEqual([UNPROVEN, UNPROVEN]);
  });

  test('an operation that failed proves nothing, nor does one that no entry point ran', async () => {
    const failing = execute([
      { target: token, data: transferCalldata(SHOP, 7n, TAG) },
      { target: token, data: transferCalldata(SHOP, 10n ** 30n) },
    ]);
    const data = encodeFunctionData({
      abi: entryPoint07Abi,
      functionName: 'handleOps',
      args: [
        [
          { ...packed, sender: wallet, nonce: 9n, callData: failing },
          { ...packed, sender: wallet, nonce: 10n, callData: pays() },
        ],
        attacker,
      ],
    });
    await bundle(entryPoint07Address, data);
    const lookAlike = await anvil.deploy('TestEntryPoint');
    await bundle(
      lookAlike,
      encodeFunctionData({
        abi: entryPoint07Abi,
        functionName: 'handleOps',
        args: [[{ ...packed, sender: wallet, nonce: 11n, callData: pays(TAG) }], attacker],
      }),
    );

    expect(references(await readNew())).toEqual([UNPROVEN, UNPROVEN]);
  });
});
