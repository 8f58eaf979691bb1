import { createSiweMessage, parseSiweMessage, validateSiweMessage } from 'viem/siwe';
import { expect, test } from 'vitest';
import { signInMessage } from '../logins/issue-nonce.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const address = '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e';

test('the Ethereum text is EIP-4361, letter by letter', () => {
  const message = signInMessage({ network: 'ethereum', address, publicUrl: 'https://pay.example.com', now });
  const parsed = parseSiweMessage(message);

  expect(validateSiweMessage({ message: parsed, address, domain: 'pay.example.com', time: now })).toBe(true);
  expect(
    createSiweMessage({
      address,
      domain: 'pay.example.com',
      uri: 'https://pay.example.com',
      version: '1',
      chainId: 1,
      nonce: parsed.nonce as string,
      statement: parsed.statement as string,
      issuedAt: now,
      expirationTime: new Date('2026-03-01T12:05:00.000Z'),
    }),
  ).toBe(message);
});

test('the domain carries the port, so that a wallet can hold it against the page', () => {
  expect(signInMessage({ network: 'ethereum', address, publicUrl: 'http://localhost:3000', now })).toMatch(
    /^localhost:3000 wants you/,
  );
});

test('the Solana text names the wallet, the network and a nonce of its own', () => {
  const wallet = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTtXwCFLtV';
  const [one, two] = [1, 2].map(() =>
    signInMessage({ network: 'solana', address: wallet, publicUrl: 'https://pay.example.com', now }),
  );

  expect(one).toMatch(
    /^pay\.example\.com wants you to sign in with your Solana account:\n7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTtXwCFLtV\n\n/,
  );
  expect(one).toMatch(
    /\nChain ID: mainnet\nNonce: [0-9A-Za-z]{22}\nIssued At: 2026-03-01T12:00:00\.000Z\nExpiration Time: 2026-03-01T12:05:00\.000Z$/,
  );
  expect(one).not.toBe(two);
});
