import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paymentUri } from './uri.ts';

const TOKEN = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const TO = '0x00000000000000000000000000000000000A11cE';

test('a token payment has contract, chain, recipient and base units', () => {
  expect(paymentUri({ chainId: 1, token: TOKEN.toLowerCase(), to: TO, amountUnits: 49_000_123n })).toBe(
    `ethereum:${TOKEN}@1/transfer?address=${TO}&uint256=49000123`,
  );
});

test('a native payment has recipient, chain and wei', () => {
  expect(paymentUri({ chainId: 1, token: null, to: TO, amountUnits: 2_014_000_000_000_000_000n })).toBe(
    `ethereum:${TO}@1?value=2014000000000000000`,
  );
});

test('the amount is never rounded', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), (amountUnits) => {
      expect(
        BigInt(
          new URL(paymentUri({ chainId: 8453, token: TOKEN, to: TO, amountUnits })).searchParams.get(
            'uint256',
          ) as string,
        ),
      ).toBe(amountUnits);
    }),
  );
});
