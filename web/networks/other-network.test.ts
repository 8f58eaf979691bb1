import { expect, test } from 'vitest';
import { otherNetwork } from './other-network.ts';

const EVM = '0x52908400098527886E0F7030069857D2E4169EE7';
const TRON = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const SOLANA = '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs';

test.each([
  [EVM, 'bitcoin', 'Ethereum'],
  [EVM, 'base', null],
  [` ${TRON} `, 'ethereum', 'Tron'],
  [TRON, 'solana', 'Tron'],
  [TRON, 'tron', null],
  ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', 'tron', 'Bitcoin'],
  ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'solana', 'Bitcoin'],
  ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'bitcoin', null],
  [SOLANA, 'tron', 'Solana'],
  [SOLANA, 'solana', null],
  ['hello', 'tron', null],
  [EVM.slice(0, 41), 'tron', null],
])('%s for %s is of %s', (address, wanted, other) => {
  expect(otherNetwork(address, wanted)).toBe(other);
});
