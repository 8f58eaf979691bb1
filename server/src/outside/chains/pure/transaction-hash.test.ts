import { expect, test } from 'vitest';
import { transactionHashIn } from './transaction-hash.ts';

const EVM = `0x${'5C'.repeat(32)}`;
const TRON = '5c'.repeat(32);
const SOLANA = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';

test.each([
  ['base', EVM, EVM.toLowerCase()],
  ['ethereum', ` https://etherscan.io/tx/${EVM}#eventlog `, EVM.toLowerCase()],
  ['tron', `https://tronscan.org/#/transaction/${TRON}`, TRON],
  ['solana', SOLANA, SOLANA],
  ['solana', `https://solscan.io/tx/${SOLANA}?cluster=mainnet`, SOLANA],
  ['base', `${EVM} ${EVM.toLowerCase()}`, EVM.toLowerCase()],
] as const)('on %s, %s names one transaction', (network, text, hash) => {
  expect(transactionHashIn(network, text)).toBe(hash);
});

test.each([
  ['base', TRON],
  ['base', EVM.slice(0, -1)],
  ['base', `${EVM}0`],
  ['base', `${EVM} 0x${'6d'.repeat(32)}`],
  ['tron', `0x${TRON}`],
  ['solana', SOLANA.slice(0, -2)],
  ['solana', 'So11111111111111111111111111111111111111112'],
  ['solana', ''],
] as const)('on %s, %s names none', (network, text) => {
  expect(transactionHashIn(network, text)).toBe(undefined);
});
