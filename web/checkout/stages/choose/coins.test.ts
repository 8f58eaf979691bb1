import { describe, expect, test } from 'vitest';
import { PAY_ASSETS } from '@quittance/contract';
import type { Option, PublicSession, WalletName } from '../../page-state.ts';
import { coinsOf, keyOf, splitCoins } from './coins.ts';
import { searchCoins } from './search.ts';

const options = (direct: string): Option[] =>
  PAY_ASSETS.map(({ key, asset, network }) => ({
    asset,
    network,
    kind: key === direct ? 'direct' : 'routed',
    available: true,
    estimated_amount: '49',
    typical_seconds: network === 'bitcoin' ? 1_280 : network === 'ethereum' ? 240 : 120,
  }));

function coins(direct: string, wallets: Pick<WalletName, 'family'>[] = []) {
  const session = { options: options(direct) } as PublicSession;
  return coinsOf({ session, wallets: wallets as WalletName[] });
}

const namesOf = (found: readonly { asset: string }[]) => found.map(({ asset }) => asset);

describe('the order of the coins', () => {
  test("the merchant's coin comes first, then the usual ones, four at once", () => {
    const { usual, others } = splitCoins(coins('USDC_BASE'));
    expect(namesOf(usual)).toEqual(['USDC', 'USDT', 'BTC', 'ETH']);
    expect(namesOf(others)).toEqual(['SOL', 'BNB', 'POL', 'AVAX', 'TRX']);
    expect(namesOf(splitCoins(coins('SOL_SOLANA')).usual)).toEqual(['SOL', 'USDC', 'USDT', 'BTC']);
  });

  test('the network that needs no conversion is the best, then the usual one of the coin, then the fastest', () => {
    expect(coins('USDC_ETHEREUM')[0]?.networks.map(({ network }) => network)).toEqual([
      'ethereum',
      'solana',
      'base',
      'polygon',
      'arbitrum',
    ]);
    const usdt = coins('USDC_BASE').find(({ asset }) => asset === 'USDT');
    expect(usdt?.networks.map(({ network }) => network)).toEqual(['tron', 'solana', 'ethereum']);
  });

  test('what the only kind of wallet here can pay comes before the rest, and moves none of the usual coins', () => {
    const [evm] = [coins('USDC_BASE', [{ family: 'evm' }])];
    expect(namesOf(evm)).toEqual(['USDC', 'USDT', 'BTC', 'ETH', 'BNB', 'POL', 'AVAX', 'SOL', 'TRX']);
    expect(evm.find(({ asset }) => asset === 'USDT')?.networks[0].network).toBe('ethereum');
    const both = coins('USDC_BASE', [{ family: 'evm' }, { family: 'solana' }]);
    expect(namesOf(both)).toEqual(namesOf(coins('USDC_BASE')));
  });

  test('what cannot be reached is left out, and a single further coin is not hidden', () => {
    const some = options('USDC_BASE').filter(({ asset }) => !['POL', 'AVAX', 'TRX', 'BNB'].includes(asset));
    const session = { options: some.map((one) => ({ ...one, available: one.network !== 'tron' })) } as PublicSession;
    const found = coinsOf({ session });
    expect(found.flatMap(({ networks }) => networks).some(({ network }) => network === 'tron')).toBe(false);
    expect(splitCoins(found).others).toEqual([]);
    expect(coinsOf({ session: { options: [] } as unknown as PublicSession })).toEqual([]);
  });
});

describe('search', () => {
  const all = coins('USDC_BASE');
  const keys = (text: string) => {
    const { isFound, accepted } = searchCoins(all, text);
    return accepted ? [] : all.flatMap(({ networks }) => networks.filter(isFound).map(keyOf)).sort();
  };

  test.each([
    ['Tether', ['USDT_ETHEREUM', 'USDT_SOLANA', 'USDT_TRON']],
    ['TRC20', ['TRX_TRON', 'USDT_TRON']],
    ['trc-20', ['TRX_TRON', 'USDT_TRON']],
    ['usdt trc20', ['USDT_TRON']],
    ['USDTTRC20', ['USDT_TRON']],
    ['usdt on tron', ['USDT_TRON']],
    ['usdt on ethereum', ['USDT_ETHEREUM']],
    ['USDT auf Solana', ['USDT_SOLANA']],
    ['USDT en Solana', ['USDT_SOLANA']],
    ['usdt sur ethereum', ['USDT_ETHEREUM']],
    ['usdt na solana', ['USDT_SOLANA']],
    ['USDT в Solana', ['USDT_SOLANA']],
    ['usdc on base', ['USDC_BASE']],
    ['usdc base network', ['USDC_BASE']],
    ['eth mainnet', ['ETH_ARBITRUM', 'ETH_BASE', 'ETH_ETHEREUM', 'USDC_ETHEREUM', 'USDT_ETHEREUM']],
    ['base mainnet', ['ETH_BASE', 'USDC_BASE']],
    ['arbitrum one', ['ETH_ARBITRUM', 'USDC_ARBITRUM']],
    ['usdc arbitrumone', ['USDC_ARBITRUM']],
    ['ERC20', ['ETH_ETHEREUM', 'USDC_ETHEREUM', 'USDT_ETHEREUM']],
    ['BEP20', ['BNB_BNB']],
    ['BSC', ['BNB_BNB']],
    ['Matic', ['POL_POLYGON', 'USDC_POLYGON']],
    ['  bitcoin ', ['BTC_BITCOIN']],
    ['usdt polygon', []],
    ['usdt bep20', []],
    ['usdt ton', []],
    ['tether usd ton', []],
    ['bitcoin btc lightning', []],
    ['xrp', []],
    ['dogecoin', []],
  ])('%s', (text, found) => {
    expect(keys(text)).toEqual(found);
  });

  test.each([
    ['tether', 'USDT', undefined],
    ['тетер', 'USDT', undefined],
    ['Биткоин', 'BTC', undefined],
    ['بيتكوين', 'BTC', undefined],
    ['تيثر', 'USDT', undefined],
    ['إيثريوم', 'ETH', undefined],
    ['эфириум', 'ETH', undefined],
    ['比特币', 'BTC', undefined],
    ['泰达币', 'USDT', undefined],
    ['以太坊', 'ETH', undefined],
    ['ビットコイン', 'BTC', undefined],
    ['बिटकॉइन', 'BTC', undefined],
    ['بٹ کوائن', 'BTC', undefined],
    ['trc20', 'USDT', undefined],
    ['tron', 'USDT', 'tron'],
    ['erc20', 'USDC', undefined],
    ['eth', 'ETH', undefined],
    ['eth mainnet', 'ETH', 'ethereum'],
    ['ether', 'ETH', 'ethereum'],
    ['ethereum', 'ETH', 'ethereum'],
    ['solana', 'SOL', 'solana'],
    ['matic', 'POL', undefined],
    ['usdc on base', 'USDC', 'base'],
    ['usdt en solana', 'USDT', 'solana'],
    ['trx', 'TRX', undefined],
    ['bep-20', 'BNB', undefined],
    // What a coin is not accepted on leaves the coin.
    ['usdt polygon', 'USDT', undefined],
    ['usdt ton', 'USDT', undefined],
    ['tether usd ton', 'USDT', undefined],
    ['dogecoin', undefined, undefined],
    ['xrp', undefined, undefined],
  ])('%s means %s', (text, asset, network) => {
    expect(searchCoins(all, text)).toMatchObject({ asset, network });
  });

  test.each(['one', 'mainnet', '-', ' on '])('%s names nothing, and changes nothing', (text) => {
    expect(searchCoins(all, text)).toEqual({ isFound: expect.any(Function) });
  });

  test('where nothing is found, the coin that was meant is not the one that its network is called after', () => {
    const some = options('ETH_ETHEREUM').filter((one) => one.asset === 'ETH' || keyOf(one) === 'USDT_TRON');
    const found = coinsOf({ session: { options: some } as PublicSession });
    for (const text of ['usdt ethereum', 'Ethereum USDT', 'tether on eth', 'usdt erc20'])
      expect(searchCoins(found, text)).toMatchObject({ asset: 'USDT', accepted: 'USDT (Tron)' });
    expect(searchCoins(found, 'ethereum on tron').asset).toBe('ETH');
    expect(searchCoins(found, 'eth trc20').asset).toBe('ETH');
  });

  test('what is accepted is said where nothing is found: the networks of the coin that was meant, or the coins', () => {
    expect(searchCoins(all, 'usdt polygon').accepted).toBe('USDT (Tron, Solana, Ethereum)');
    expect(searchCoins(all, 'dogecoin').accepted).toBe('USDC, USDT, BTC, ETH, SOL, BNB, POL, AVAX, TRX');
    expect(searchCoins(all, 'dogecoin').isFound(all[0]?.networks[0] as Option)).toBe(true);
    expect(searchCoins(all, 'usdt tron').accepted).toBe(false);
  });
});
