import { findAssetByKey, KNOWN_ASSETS } from '@quittance/contract';
import { expect, test } from 'vitest';
import { paymentTag, paymentUri } from './payment-uri.ts';

const EVM = '0x52908400098527886E0F7030069857D2E4169EE7';
const SOLANA = '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs';

test.each([
  [
    'USDC_BASE',
    EVM,
    49_000_317n,
    `ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=${EVM}&uint256=49000317`,
  ],
  ['ETH_ETHEREUM', EVM, 19_600_000_000_000_000n, `ethereum:${EVM}@1?value=19600000000000000`],
  ['BNB_BNB', EVM, 1n, `ethereum:${EVM}@56?value=1`],
  ['POL_POLYGON', EVM, 1n, `ethereum:${EVM}@137?value=1`],
  [
    'USDC_SOLANA',
    SOLANA,
    49_000_000n,
    `solana:${SOLANA}?amount=49&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v&reference=${SOLANA}&label=Fern%20%26%20Fog`,
  ],
  [
    'SOL_SOLANA',
    SOLANA,
    326_666_667n,
    `solana:${SOLANA}?amount=0.326666667&reference=${SOLANA}&label=Fern%20%26%20Fog`,
  ],
  [
    'BTC_BITCOIN',
    'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    81_700n,
    'bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.000817',
  ],
  ['USDT_TRON', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 1n, null],
])('%s', (key, to, amountUnits, uri) => {
  const asset = findAssetByKey(key);
  if (!asset) throw new Error(key);
  expect(paymentUri({ livemode: true, asset, to, amountUnits, reference: SOLANA, label: 'Fern & Fog' })).toBe(uri);
});

const TEST_URIS: Record<string, string> = {
  USDC_ETHEREUM: `ethereum:0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238@11155111/transfer?address=${EVM}&uint256=100`,
  USDC_BASE: `ethereum:0x036CbD53842c5426634e7929541eC2318f3dCF7e@84532/transfer?address=${EVM}&uint256=100`,
  USDC_POLYGON: `ethereum:0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582@80002/transfer?address=${EVM}&uint256=100`,
  USDC_ARBITRUM: `ethereum:0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d@421614/transfer?address=${EVM}&uint256=100`,
  USDC_SOLANA: `solana:${SOLANA}?amount=0.0001&spl-token=4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU`,
  BTC_BITCOIN: 'bitcoin:tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx?amount=0.000001',
};
const TEST_TO: Partial<Record<string, string>> = {
  solana: SOLANA,
  bitcoin: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
  tron: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
};

test.each(KNOWN_ASSETS.map((asset) => [asset.key, asset] as const))(
  'in test mode nothing on a main network can carry out the URI of %s',
  (key, asset) => {
    const to = TEST_TO[asset.network] ?? EVM;
    const request = { livemode: false, asset, to, amountUnits: 100n, reference: null, label: null };
    // Not even with the settings of a live network.
    expect(paymentUri({ ...request, chainId: 8453, tokens: { USDC: EVM } })).toBe(TEST_URIS[key] ?? null);
    const live = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
    if (asset.network !== 'bitcoin') expect(paymentUri({ ...request, to: `test_${asset.network}_07` })).toBeNull();
    if (asset.network === 'bitcoin') expect(paymentUri({ ...request, to: live })).toBeNull();
  },
);

test('only EVM networks have a tag', () => {
  const reference = Buffer.alloc(32, 7);
  const tagOf = (key: string) => paymentTag(findAssetByKey(key) as never, reference);
  expect(tagOf('USDC_BASE')).toBe(`0x51544e43${'07'.repeat(16)}`);
  expect(tagOf('ETH_ETHEREUM')).toBe(tagOf('USDC_BASE'));
  expect(tagOf('USDC_SOLANA')).toBeNull();
});
