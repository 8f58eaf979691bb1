import { type ChainFamily, KNOWN_ASSETS, NETWORKS } from '@quittance/contract';

/**
 * Addresses of tokens and programs that a person may paste instead of their wallet's. Money sent there is lost, so they
 * are rejected everywhere. Lower case on EVM networks. The tokens that have a row, offered at this server or not, and
 * further ones.
 */
export const KNOWN_CONTRACTS: ReadonlySet<string> = new Set([
  ...knownTokens('evm').map((address) => address.toLowerCase()),
  // Circle and Tether on other networks, and their bridged forms.
  '0xff970a61a04b1ca14834a43f5de4533ebddb5cc8',
  '0x2791bca1f2de4661ed88a30c99a7a9449aa84174',
  '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca',
  '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e',
  '0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7',
  // Wrapped native coins.
  '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  '0x4200000000000000000000000000000000000006',
  '0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
  '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270',
  '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c',
  '0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7',
  // Contracts with the same address on every chain, and the placeholder for "the native coin".
  '0xca11bde05977b3631167028862be2a173976ca11',
  '0x000000000022d473030f116ddee9f6b43ac78ba3',
  '0x4e59b44847b379578588920ca78fbf26c0b4956c',
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
]);

export const KNOWN_PROGRAMS: ReadonlySet<string> = new Set([
  ...knownTokens('solana'),
  // Further mints.
  'So11111111111111111111111111111111111111112',
  '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo',
  'USDSwr9ApdHk5bvJKMjzff41FfuX8bSxdKcR81vTwcA',
  'EKpQGSJtjMFqKZ9KQanSqYXRcF8fBopzLHYxdM65zcjm',
  'mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So',
  'J1toso1uCk3RLmjorhTtrVwY9HJ7X8V9yYac6Y7kGCPn',
  'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263',
  'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN',
  // Programs.
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s',
  'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
  '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8',
  'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc',
  'SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf',
  'namesLPneVptA9Z5rqUDD9tMTWEJwofgaYwp8cawRkX',
  'TSWAPaqyCSx2KABk68Shruf4rp7CxcNi8hAsbdwmHbN',
]);

/** The tokens on Tron, and the zero address. */
export const KNOWN_TRON_ADDRESSES: ReadonlySet<string> = new Set([
  ...knownTokens('tron'),
  'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
]);

function knownTokens(family: ChainFamily): string[] {
  return KNOWN_ASSETS.flatMap(({ network, address }) =>
    address !== null && NETWORKS[network].family === family ? [address] : [],
  );
}
