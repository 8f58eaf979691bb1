import { findAssetByKey } from '@quittance/contract';
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
  expect(paymentUri({ asset, to, amountUnits, reference: SOLANA, label: 'Fern & Fog' })).toBe(uri);
});

test('only EVM networks have a tag', () => {
  const reference = Buffer.alloc(32, 7);
  const tagOf = (key: string) => paymentTag(findAssetByKey(key) as never, reference);
  expect(tagOf('USDC_BASE')).toBe(`0x51544e43${'07'.repeat(16)}`);
  expect(tagOf('ETH_ETHEREUM')).toBe(tagOf('USDC_BASE'));
  expect(tagOf('USDC_SOLANA')).toBeNull();
});
