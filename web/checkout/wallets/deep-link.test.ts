import { expect, test } from 'vitest';
import { deepLink } from '../phone-wallets.tsx';
import links from './deep-links.json' with { type: 'json' };

const PAGE = 'https://pay.example.com/checkout/cs_4fzqzXm2V9pQ7rT1kB3nW8yA';

test.each([
  ['MetaMask', 'evm', 'https://link.metamask.io/dapp/pay.example.com/checkout/cs_4fzqzXm2V9pQ7rT1kB3nW8yA'],
  [
    'Phantom',
    'solana',
    'https://phantom.app/ul/browse/https%3A%2F%2Fpay.example.com%2Fcheckout%2Fcs_4fzqzXm2V9pQ7rT1kB3nW8yA?ref=https%3A%2F%2Fpay.example.com',
  ],
  [
    'Coinbase Wallet',
    'evm',
    'https://go.cb-w.com/dapp?cb_url=https%3A%2F%2Fpay.example.com%2Fcheckout%2Fcs_4fzqzXm2V9pQ7rT1kB3nW8yA',
  ],
  [
    'Trust Wallet',
    'evm',
    'https://link.trustwallet.com/open_url?coin_id=60&url=https%3A%2F%2Fpay.example.com%2Fcheckout%2Fcs_4fzqzXm2V9pQ7rT1kB3nW8yA',
  ],
  [
    'Trust Wallet',
    'solana',
    'https://link.trustwallet.com/open_url?coin_id=501&url=https%3A%2F%2Fpay.example.com%2Fcheckout%2Fcs_4fzqzXm2V9pQ7rT1kB3nW8yA',
  ],
  [
    'Solflare',
    'solana',
    'https://solflare.com/ul/v1/browse/https%3A%2F%2Fpay.example.com%2Fcheckout%2Fcs_4fzqzXm2V9pQ7rT1kB3nW8yA?ref=https%3A%2F%2Fpay.example.com',
  ],
])('%s opens a page for %s', (name, family, expected) => {
  const wallet = links.find((link) => link.name === name && link.families.includes(family));
  expect(deepLink(wallet?.link ?? '', PAGE)).toBe(expected);
});

test('every link is https, fills every place and belongs to a family', () => {
  for (const wallet of links) {
    const url = new URL(deepLink(wallet.link, PAGE));
    expect(url.protocol).toBe('https:');
    expect(url.href).not.toContain('{');
    expect(wallet.families.every((family) => family === 'evm' || family === 'solana')).toBe(true);
  }
});
