import { expect, test } from 'vitest';
import { PAY_ASSETS, RECEIVE_ASSETS } from './assets.ts';
import { type AssetRow, NETWORK_SLUGS, type NetworkRow, NETWORKS } from './networks.ts';

const rows = NETWORK_SLUGS.map((slug): [slug: string, row: NetworkRow] => [slug, NETWORKS[slug]]);
const receiveRows = rows.filter(([, { finality }]) => finality !== undefined);

test('every asset has a place of its own in the Safe List', () => {
  const places = rows.flatMap(([, { assets }]) => Object.values<AssetRow>(assets).map(({ place }) => place));
  expect(places.sort((one, other) => one - other)).toEqual(PAY_ASSETS.map((_, index) => index + 1));
});

test('a network has a rule of finality if and only if something can be received on it', () => {
  const receivedOn = new Set<string>(RECEIVE_ASSETS.map(({ network }) => network));
  expect(new Set(receiveRows.map(([slug]) => slug))).toEqual(receivedOn);
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
  expect(assets[native]?.slip44).toBeTypeOf('number');
});

test('chains are not mistaken for each other', () => {
  const ids = rows.flatMap(([, row]) => (row.family === 'evm' ? [row.chainId, row.testChainId ?? []].flat() : []));
  expect(new Set(ids).size).toBe(ids.length);
});
