import { createHash } from 'node:crypto';
import { TronWeb } from 'tronweb';
import { describe, expect, test } from 'vitest';
import { fromHexAddress, readTronAddress, toHexAddress } from './tron-address.ts';

const USDT = { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', hex: '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c' };

test('the contract of USDT, as its issuer and as logs write it', () => {
  expect(toHexAddress(USDT.address)).toBe(USDT.hex);
  expect(fromHexAddress(USDT.hex)).toBe(USDT.address);
});

test('10,000 addresses are read and written as tronweb does, and none with a wrong character', () => {
  for (let at = 0; at < 10_000; at += 1) {
    const hash = createHash('sha256').update(`address ${at}`).digest('hex');
    const hex = `41${hash.slice(0, 40)}`;
    const address = TronWeb.address.fromHex(hex);
    expect(fromHexAddress(`0x${hex.slice(2)}`)).toBe(address);
    expect(toHexAddress(address)).toBe(`0x${TronWeb.address.toHex(address).slice(2).toLowerCase()}`);
    expect(readTronAddress(address)).toEqual({ address });
    expect(readTronAddress(hex)).toEqual({ address });
    const place = 1 + (at % 33);
    const mistyped = `${address.slice(0, place)}${address[place] === 'z' ? 'y' : 'z'}${address.slice(place + 1)}`;
    expect('address' in readTronAddress(mistyped)).toBe(TronWeb.isAddress(mistyped));
  }
}, 120_000);

describe('what is wrong with a text that is not an address', () => {
  test.each([
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', 'checksum'],
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj5t', 'checksum'],
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6', 'form'],
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj60', 'form'],
    ['tR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'form'],
    [USDT.hex, 'form'],
    [`42${USDT.hex.slice(2)}`, 'form'],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'form'],
    ['', 'form'],
    [' TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'form'],
    ['T'.repeat(10_000), 'form'],
  ])('%s: %s', (text, why) => expect(readTronAddress(text)).toEqual({ why }));
});
