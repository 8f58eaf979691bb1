import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { PAY_ASSETS, RECEIVE_ASSETS } from './assets.ts';
import { type AssetRow, NETWORK_SLUGS, type NetworkRow, NETWORKS, RECEIVE_NETWORKS } from './networks.ts';

const rows = NETWORK_SLUGS.map((slug): [slug: string, row: NetworkRow] => [slug, NETWORKS[slug]]);
const receiveRows = rows.filter(([slug]) => RECEIVE_NETWORKS.some((network) => network === slug));

test('every asset of the Safe List has a place of its own in it, and only what can be added has none', () => {
  const places = rows.flatMap(([, { assets }]) => Object.values<AssetRow>(assets).map(({ place }) => place ?? []));
  expect(places.flat().sort((one, other) => one - other)).toEqual(PAY_ASSETS.map((_, index) => index + 1));
  for (const [, { assets }] of rows)
    for (const { place, receivable } of Object.values<AssetRow>(assets))
      expect(place !== undefined || receivable === 'extra').toBe(true);
});

test('a network has a rule of finality if and only if something can be received on it', () => {
  const receivedOn = rows.filter(([, { assets }]) => Object.values<AssetRow>(assets).some((row) => row.receivable));
  const ruled = rows.filter(([, { finality }]) => finality !== undefined);
  expect(ruled).toEqual(receivedOn);
});

test('without EXTRA_ASSETS, the Safe List and what can be received are the published ones', () => {
  expect(PAY_ASSETS.map(({ key }) => key).join()).toBe(
    'ETH_ETHEREUM,SOL_SOLANA,USDC_SOLANA,ETH_BASE,USDC_BASE,USDC_ETHEREUM,USDT_ETHEREUM,USDT_SOLANA,BTC_BITCOIN,' +
      'BNB_BNB,POL_POLYGON,ETH_ARBITRUM,AVAX_AVALANCHE,TRX_TRON,USDT_TRON,USDC_POLYGON,USDC_ARBITRUM',
  );
  expect(new Set(RECEIVE_ASSETS.map(({ key }) => key))).toEqual(
    new Set(
      'USDC_SOLANA,USDC_BASE,USDC_ETHEREUM,USDC_POLYGON,USDC_ARBITRUM,USDT_ETHEREUM,ETH_ETHEREUM,SOL_SOLANA'.split(','),
    ),
  );
});

test('EXTRA_ASSETS adds what it names behind the Safe List, in any case and nothing else', () => {
  const list =
    "import { PAY_ASSETS, RECEIVE_ASSETS } from './assets.ts';" +
    'const keys = (all) => all.map(({ key }) => key);' +
    'console.log(JSON.stringify([keys(PAY_ASSETS), keys(RECEIVE_ASSETS)]));';
  const listed = (EXTRA_ASSETS: string) =>
    JSON.parse(
      execFileSync(process.execPath, ['--input-type=module-typescript', '-e', list], {
        cwd: new URL('.', import.meta.url),
        env: { ...process.env, EXTRA_ASSETS },
        encoding: 'utf8',
      }),
    );
  const before = PAY_ASSETS.map(({ key }) => key);
  expect(listed(' usdt_polygon, USDT_SOLANA,BTC_BITCOIN,NOTHING')).toEqual([
    [...before, 'USDT_POLYGON'],
    [...before, 'USDT_POLYGON'].filter(
      (key) => ['USDT_POLYGON', 'USDT_SOLANA'].includes(key) || RECEIVE_ASSETS.some((asset) => asset.key === key),
    ),
  ]);
});

test.each(rows)('all assets of %s but its own coin have an address', (_, { native, assets }) => {
  for (const [symbol, { address }] of Object.entries<AssetRow>(assets))
    expect(address === undefined).toBe(symbol === native);
});

test.each(receiveRows)('test mode asks programs for test coins of %s', (_, row) => {
  expect(row.assets.USDC?.testAddress).toBeDefined();
  if (row.family === 'evm') expect(row.testChainId).not.toBe(row.chainId);
});

test.each(receiveRows)('the coin of %s has a registered number', (_, { native, assets }) => {
  if (native !== 'USD') expect(assets[native]?.slip44).toBeTypeOf('number');
});

test('chains are not mistaken for each other', () => {
  const ids = rows.flatMap(([, row]) => (row.family === 'evm' ? [row.chainId, row.testChainId ?? []].flat() : []));
  expect(new Set(ids).size).toBe(ids.length);
});
