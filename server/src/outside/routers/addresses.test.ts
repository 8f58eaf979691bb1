import { expect, test } from 'vitest';
import { TOKEN_CONTRACTS } from './addresses.ts';

test("only the issuers' own tokens are offered on a route", () => {
  expect(TOKEN_CONTRACTS).toEqual({
    USDC_ETHEREUM: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    USDT_ETHEREUM: '0xdac17f958d2ee523a2206206994597c13d831ec7',
    USDC_BASE: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
    USDC_POLYGON: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
    USDC_ARBITRUM: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
    USDC_SOLANA: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    USDT_SOLANA: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
    USDT_TRON: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  });
});
