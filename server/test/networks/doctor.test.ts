import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkNetwork } from '../../src/commands/doctor-network.ts';
import { groupByCause } from '../../src/commands/finding.ts';
import { readConfig } from '../../src/config.ts';
import { fromHexAddress } from '../../src/outside/chains/pure/tron-address.ts';
import { startAnvil, type TestChain } from '../support/anvil.ts';
import { startTronRpc, type TronRefusal } from '../support/tron-rpc.ts';

let bnb: TestChain;
let tokens: { pegged: `0x${string}`; six: `0x${string}`; renamed: `0x${string}` };
beforeAll(async () => {
  bnb = await startAnvil({ chainId: 56 });
  tokens = {
    pegged: await bnb.deployToken({ contract: 'PeggedToken', symbol: 'BSC-USD' }),
    six: await bnb.deployToken({ symbol: 'USDC' }),
    renamed: await bnb.deployToken({ contract: 'PeggedToken', symbol: 'FAKE' }),
  };
  await bnb.mine();
});
afterAll(() => bnb.stop());

const ask = async (env: Record<string, string>, network: 'bnb' | 'tron' = 'bnb') =>
  (await checkNetwork(readConfig({ RPC_BNB_URLS: bnb.url, ...env }), network)).map(
    ({ state, details }) => `${state}: ${details}`,
  );

test('the doctor says on which network a provider is, and checks decimals and symbol of every token', async () => {
  const found = await ask({ TOKEN_USDT_BNB: tokens.pegged, TOKEN_USDC_BNB: tokens.six });
  expect(found).toContain('ok: is on eip155:56');
  expect(found).toContain(`ok: USDT has 18 decimals (BSC-USD at ${tokens.pegged})`);
  expect(found).toContain(`failed: USDC: ${tokens.six} has 6 decimals, not 18: every amount would be wrong`);
});

test('and names a contract of another name, and an address without one', async () => {
  const nowhere = '0x00000000000000000000000000000000000A11cE';
  const found = await ask({ TOKEN_USDT_BNB: tokens.renamed, TOKEN_USDC_BNB: nowhere });
  expect(found).toContain(`warning: USDT: ${tokens.renamed} calls itself FAKE, not BSC-USD`);
  expect(found).toContain(`failed: USDC: there is no token at ${nowhere}, so it is not seen`);
});

test('and says that a provider is on another network', async () => {
  const found = await ask({ CHAIN_ID_BNB: '97' });
  expect(found).toContainEqual(expect.stringMatching(/^failed: .* is on chain 56, not 97/));
});

test('and says where a filter of logs does not find what the blocks have', async () => {
  await using rpc = await startTronRpc(bnb.url);
  const transfer = () =>
    bnb.transferErc20({ token: tokens.six, to: '0x00000000000000000000000000000000000A11cE', amount: 1n });
  const newest = async () => BigInt(await bnb.rpc<string>('eth_blockNumber', []));
  await bnb.mine(10);
  await transfer();
  const env = { RPC_TRON_URLS: rpc.url, CHAIN_ID_TRON: '56', TOKEN_USDT_TRON: fromHexAddress(tokens.six) };
  const blind = expect.stringMatching(/^failed: its filter of logs does not find a transfer/);
  expect(await ask(env, 'tron')).not.toContainEqual(blind);
  // An index may be behind its node, and one node of a provider behind another, by some blocks.
  rpc.lastIndexed = (await newest()) - 1n;
  expect(await ask(env, 'tron')).not.toContainEqual(blind);
  await bnb.mine(3);
  expect(await ask(env, 'tron')).not.toContainEqual(blind);
  await transfer();
  rpc.lastIndexed = (await newest()) - 1n;
  await bnb.mine(5);
  expect(await ask(env, 'tron')).not.toContainEqual(blind);
  rpc.lastIndexed = -1n;
  expect(await ask(env, 'tron')).toContainEqual(blind);
});

test("and does the same by Tron's dialect", async () => {
  await using rpc = await startTronRpc(bnb.url);
  const found = await ask(
    { RPC_TRON_URLS: rpc.url, CHAIN_ID_TRON: '56', TOKEN_USDT_TRON: fromHexAddress(tokens.six) },
    'tron',
  );
  expect(found).toContain(`warning: USDT: ${fromHexAddress(tokens.six)} calls itself USDC, not USDT`);
  expect(found).not.toContainEqual(expect.stringMatching(/^failed/));
});

test.each<[string, { refusal?: TronRefusal; chainId?: string; says: RegExp }]>([
  ['is on another network', { chainId: '3448148188', says: /is on chain 56, not 3448148188: that is another network/ }],
  [
    'takes no request for now',
    { refusal: 'no_resources', says: /lack of computing resources: calls are refused as too/ },
  ],
  [
    'limits a key',
    { refusal: 'frequency_limit', says: /\(HTTP 403\): The key exceeds .*: calls are refused as too many/ },
  ],
  ['does not know the key', { refusal: 'no_key', says: /\(HTTP 401\): ApiKey not exists: the key is refused/ }],
  [
    'has no logs',
    { refusal: 'no_logs', says: /newest blocks cannot be read: no payment is seen .*eth_getLogs does not exist/ },
  ],
])(
  'and names the cause and the setting where a node of Tron %s, beside what it says of another network',
  async (_, one) => {
    await using rpc = await startTronRpc(bnb.url);
    if (one.refusal) rpc.refuse([one.refusal]);
    const config = readConfig({
      RPC_TRON_URLS: rpc.url,
      CHAIN_ID_TRON: one.chainId ?? '56',
      TOKEN_USDT_TRON: fromHexAddress(tokens.six),
      RPC_BNB_URLS: bnb.url,
      TOKEN_USDT_BNB: tokens.pegged,
      TOKEN_USDC_BNB: tokens.six,
    });
    const found = groupByCause([...(await checkNetwork(config, 'tron')), ...(await checkNetwork(config, 'bnb'))]);
    const [wrong] = found.filter(({ state, subject }) => state === 'failed' && subject.startsWith('tron 127.'));
    expect(wrong?.details).toMatch(one.says);
    expect(wrong?.details).toMatch(/ see RPC_TRON_URLS and CHAIN_ID_TRON$/);
    expect(found.map(({ details }) => details)).toContainEqual(
      expect.stringMatching(/^USDC: .* has 6 decimals, not 18/),
    );
  },
);

test('and names each network whose provider refuses for one reason, and its setting', async () => {
  await using rpc = await startTronRpc(bnb.url);
  rpc.refuse(['no_key']);
  const config = readConfig({ RPC_TRON_URLS: rpc.url, CHAIN_ID_TRON: '56', RPC_BNB_URLS: rpc.url });
  const found = groupByCause([...(await checkNetwork(config, 'tron')), ...(await checkNetwork(config, 'bnb'))]);
  const { host } = new URL(rpc.url);
  expect(found[0]?.details).toBe(
    `the key is refused: correct it in the settings (tron ${host}, bnb ${host}; see RPC_TRON_URLS and CHAIN_ID_TRON, RPC_BNB_URLS)`,
  );
});
