import { encodeAbiParameters, type Hex, keccak256, parseAbiParameters } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BlockRef, Chain, Transfer } from '../../src/outside/chains/chain.ts';
import { buildTag } from '../../src/outside/chains/evm/tag.ts';
import { MAX_TRACES_PER_MINUTE } from '../../src/outside/chains/evm/tagged-calls.ts';
import { type BatchCall, calldata, startAnvil, type TestChain, transferCalldata } from '../support/anvil.ts';
import {
  execute,
  hex,
  openChain,
  OTHER_REFERENCE,
  PROVEN,
  readAfter,
  REFERENCE,
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
let safe: Hex;
let attackerContract: Hex;
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
  attackerContract = await anvil.deploy('Batcher');
  safe = await anvil.deploy('ProxyWallet', [wallet]);
  attacker = anvil.accounts[2]?.address as Hex;
  for (const holder of [vault, wallet, safe]) {
    await anvil.send({ to: token, data: calldata('TestToken', 'mint', [holder, 1_000_000_000n]) });
    if (holder !== vault) await anvil.sendEth({ to: holder, amount: 10n ** 18n });
  }
});

afterAll(() => anvil.stop());

beforeEach(async () => {
  start = await anvil.head();
  one = await startRpcProxy(anvil.url);
  two = await startRpcProxy(anvil.url);
  chain = open([one.url, two.url]);
});

afterEach(async () => {
  await chain.close();
  await Promise.all([one.stop(), two.stop()]);
});

function open(rpcUrls: string[], network: 'base' | 'ethereum' = 'base', usdc = token): Chain {
  return openChain(anvil, { rpcUrls, network, usdc });
}

const readNew = () => readAfter(chain, start);

/** A batch through a contract, with more bytes after it, as only the sender can compose them. */
function batchWith(contract: Hex, calls: readonly BatchCall[], behind: Hex, from: Hex = attacker): Promise<Hex> {
  return anvil.batch(contract, calls, {
    from,
    tag: Buffer.from(behind.slice(2), 'hex'),
    tolerant: true,
    gas: 2_000_000n,
  });
}

describe('a reference beside money that another account pays', () => {
  test.each<[string, () => Promise<unknown>]>([
    [
      "copied behind the call that releases a third party's money",
      () =>
        batchWith(
          attackerContract,
          [{ target: vault, data: calldata('Release', 'release', [token, SHOP, 9n]) }],
          transferCalldata(SHOP, 9n, TAG),
        ),
    ],
    [
      'in a call that reverts beside the release',
      () =>
        batchWith(
          attackerContract,
          [
            { target: token, data: transferCalldata(SHOP, 9n, TAG) },
            { target: vault, data: calldata('Release', 'release', [token, SHOP, 9n]) },
          ],
          '0x',
        ),
    ],
    [
      'in a call of the right form to another contract',
      () =>
        batchWith(
          attackerContract,
          [
            { target: attackerContract, data: transferCalldata(SHOP, 9n, TAG) },
            { target: vault, data: calldata('Release', 'release', [token, SHOP, 9n]) },
          ],
          '0x',
        ),
    ],
    [
      'behind an allowance that a relayer uses',
      async () => {
        const payer = anvil.accounts[3]?.address as Hex;
        await anvil.send({ from: payer, to: token, data: calldata('TestToken', 'approve', [attackerContract, 9n]) });
        await batchWith(
          attackerContract,
          [{ target: token, data: calldata('TestToken', 'transferFrom', [payer, SHOP, 9n]) }],
          transferCalldata(SHOP, 9n, TAG),
        );
      },
    ],
    [
      'behind a mint',
      () =>
        batchWith(
          attackerContract,
          [{ target: token, data: calldata('TestToken', 'mint', [SHOP, 9n]) }],
          transferCalldata(SHOP, 9n, TAG),
        ),
    ],
  ])('%s proves nothing', async (_, pay) => {
    await pay();

    const transfers = await readNew();

    expect(transfers).toMatchObject([{ to: SHOP, amountUnits: 9n }]);
    expect(references(transfers)).toEqual([UNPROVEN]);
    for (const transfer of transfers) {
      expect(await chain.check(transfer, WATCHING)).toMatchObject({ type: 'stands' });
      // A provider that reports it as counting is contradicted.
      expect(await chain.check({ ...transfer, carried: [REFERENCE] }, WATCHING)).toMatchObject({ type: 'disagree' });
      expect((await chain.transaction(transfer.txHash, WATCHING))?.transfers).toEqual([transfer]);
    }
  });

  test('behind an authorization that a relayer submits (EIP-3009) proves nothing', async () => {
    const coin = await anvil.deployToken({ contract: 'AuthorizedToken' as 'TestToken' });
    const payer = anvil.accounts[3] as NonNullable<(typeof anvil.accounts)[3]>;
    const message = [payer.address, SHOP, 9n, 0n, 2n ** 60n, keccak256('0x01')] as const;
    const digest = keccak256(
      encodeAbiParameters(parseAbiParameters('address, address, uint256, uint256, uint256, bytes32'), message),
    );
    const signature = (await payer.sign({ hash: digest })).slice(2);
    const parts = [
      Number.parseInt(signature.slice(128), 16),
      `0x${signature.slice(0, 64)}`,
      `0x${signature.slice(64, 128)}`,
    ];
    const data = calldata('AuthorizedToken', 'transferWithAuthorization', [...message, ...parts]);
    await chain.close();
    chain = open([one.url, two.url], 'base', coin);
    start = await anvil.head();
    await anvil.send({ from: attacker, to: coin, data: `${data}${transferCalldata(SHOP, 9n, TAG).slice(2)}` });

    const transfers = await readNew();

    expect(transfers).toMatchObject([{ from: payer.address, to: SHOP, amountUnits: 9n }]);
    expect(references(transfers)).toEqual([UNPROVEN]);
  });
});

describe("a reference in a call that the payer's contract made itself", () => {
  test.each<[string, () => Promise<unknown>]>([
    [
      'a multicall wallet',
      () => anvil.batch(wallet, [{ target: token, data: transferCalldata(SHOP, 8n, TAG) }], { from: attacker }),
    ],
    [
      'a wallet whose code lives elsewhere, such as a Safe',
      () =>
        anvil.send({
          from: attacker,
          to: safe,
          data: execute([{ target: token, data: transferCalldata(SHOP, 8n, TAG) }]),
        }),
    ],
  ])('of %s counts by its trace', async (_, pay) => {
    await pay();

    const transfers = await readNew();

    expect(references(transfers)).toEqual([PROVEN]);
    for (const transfer of transfers) {
      expect(await chain.check(transfer, WATCHING)).toMatchObject({ type: 'stands', providers: { length: 2 } });
      expect((await chain.transaction(transfer.txHash, WATCHING))?.transfers).toEqual([transfer]);
    }
  });

  test('counts in the other dialect of traces too', async () => {
    for (const proxy of [one, two]) proxy.refused = ['debug_'];
    await anvil.send({
      from: attacker,
      to: safe,
      data: execute([{ target: token, data: transferCalldata(SHOP, 8n, TAG) }]),
    });

    const [transfer] = (await readNew()) as [Transfer];

    expect(references([transfer])).toEqual([PROVEN]);
    expect(await chain.check(transfer, WATCHING)).toMatchObject({ type: 'stands', providers: { length: 2 } });
  });

  test('counts for the native coin, in the data of the payment itself', async () => {
    await chain.close();
    chain = open([one.url, two.url], 'ethereum');
    await anvil.batch(wallet, [{ target: SHOP, value: 8n, data: `0x${hex(TAG)}` }], { from: attacker });

    const transfers = await readNew();

    expect(transfers).toMatchObject([{ asset: 'ETH', from: wallet, amountUnits: 8n }]);
    expect(references(transfers)).toEqual([PROVEN]);
    expect(await chain.check(transfers[0] as Transfer, WATCHING)).toMatchObject({ type: 'stands' });
  });

  test('gives each of two equal payments its own', async () => {
    await anvil.batch(
      wallet,
      [
        { target: token, data: transferCalldata(SHOP, 8n, TAG) },
        { target: token, data: transferCalldata(SHOP, 8n, buildTag(OTHER_REFERENCE)) },
      ],
      { from: attacker },
    );

    expect(references(await readNew())).toEqual([PROVEN, { carried: [hex(OTHER_REFERENCE)], unproven: [] }]);
  });

  test.each(['debug_', 'trace_'])(
    'is unproven where that call reverted and an equal one without a tag paid (without %s)',
    async (refused) => {
      for (const proxy of [one, two]) proxy.refused = [refused];
      const reverting = execute([
        { target: token, data: transferCalldata(SHOP, 8n, TAG) },
        { target: token, data: transferCalldata(SHOP, 10n ** 30n) },
      ]);
      await anvil.batch(
        wallet,
        [
          { target: wallet, data: reverting },
          { target: token, data: transferCalldata(SHOP, 8n) },
        ],
        { from: attacker, tolerant: true, gas: 2_000_000n },
      );

      expect(references(await readNew())).toEqual([UNPROVEN]);
    },
  );

  test('is unproven where no provider traces, or only one of two does', async () => {
    const pay = () =>
      anvil.batch(wallet, [{ target: token, data: transferCalldata(SHOP, 8n, TAG) }], { from: attacker });
    one.refused = ['debug_', 'trace_'];
    await pay();
    expect(references(await readNew())).toEqual([UNPROVEN]);

    await chain.close();
    chain = open([one.url]);
    expect(references(await readNew())).toEqual([UNPROVEN]);
    expect([one.heard.get('debug_traceTransaction'), two.heard.get('debug_traceTransaction')]).toEqual([
      expect.any(Number),
      1,
    ]);
  });

  test('is unproven where strangers provoke more traces than the budget of a minute allows', async () => {
    const hashes: Hex[] = [];
    for (let at = 0; at < MAX_TRACES_PER_MINUTE + 5; at += 1)
      hashes.push(
        await anvil.batch(wallet, [{ target: token, data: transferCalldata(SHOP, 8n, TAG) }], {
          from: attacker,
          mine: false,
        }),
      );
    await anvil.mine();

    const transfers = await readNew();

    expect(transfers).toHaveLength(hashes.length);
    const proven = transfers.filter(({ carried }) => carried.length > 0).length;
    expect([proven > 0, proven <= MAX_TRACES_PER_MINUTE]).toEqual([true, true]);
    expect(one.heard.get('debug_traceTransaction')).toBe(proven);
  });

  test('is not traced where the payer sent the transaction, or it contains no reference', async () => {
    await anvil.transferErc20({ token, to: SHOP, amount: 8n, tag: TAG });
    await anvil.batch(wallet, [{ target: token, data: transferCalldata(SHOP, 8n) }], { from: attacker });

    expect(references(await readNew())).toEqual([PROVEN, { carried: [], unproven: [] }]);
    for (const proxy of [one, two])
      expect([...proxy.heard.keys()].filter((method) => /trace/.test(method))).toEqual([]);
  });
});

test("a wallet's transfer to itself is not income, in tokens or in the native coin", async () => {
  await chain.close();
  chain = open([one.url], 'ethereum');
  await anvil.transferErc20({ token, to: SHOP, amount: 50n });
  await anvil.rpc('anvil_setBalance', [SHOP, '0xde0b6b3a7640000']);
  await anvil.mine();
  start = await anvil.head();
  await anvil.send({ from: SHOP, to: token, data: transferCalldata(SHOP, 5n) });
  await anvil.send({ from: SHOP, to: SHOP, value: 5n });

  expect(await readNew()).toEqual([]);
});

describe('a hint', () => {
  const asHint = { budget: 'hint' } as const;
  const traced = () => [one, two].reduce((sum, proxy) => sum + (proxy.heard.get('debug_traceTransaction') ?? 0), 0);

  beforeEach(async () => {
    await chain.close();
    chain = open([one.url, two.url], 'ethereum');
  });

  test('is traced only where the watched wallet appears in the transaction', async () => {
    const forwarder = await anvil.deploy('Forwarder');
    const foreign = await anvil.sendEth({
      to: forwarder,
      amount: 5n,
      data: calldata('Forwarder', 'forward', [attacker]),
    });
    const own = await anvil.sendEth({ to: forwarder, amount: 5n, data: calldata('Forwarder', 'forward', [SHOP]) });

    expect(await chain.transaction(foreign, WATCHING, asHint)).toMatchObject({ transfers: [], reverted: null });
    expect(traced()).toBe(0);
    expect(await chain.transaction(own, WATCHING, asHint)).toMatchObject({
      transfers: [{ asset: 'ETH', amountUnits: 5n, from: forwarder }],
    });
    expect(traced()).toBe(1);
  });

  test('that is repeated is answered without asking again, and other look-ups are not', async () => {
    const hash = await anvil.transferErc20({ token, to: SHOP, amount: 5n });
    const asked = () => one.heard.get('eth_getTransactionReceipt') ?? 0;
    const answers = await Promise.all(Array.from({ length: 20 }, () => chain.transaction(hash, WATCHING, asHint)));
    expect(answers).toMatchObject(Array.from({ length: 20 }, () => ({ transfers: [{ amountUnits: 5n }] })));
    expect(asked()).toBe(1);
    await chain.transaction(hash, WATCHING);
    expect(asked()).toBe(2);
  });
});
