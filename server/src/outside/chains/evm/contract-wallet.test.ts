import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Client } from '../../../platform/http/admission/client.ts';
import { TemporaryError } from '../../../platform/errors.ts';
import type { ContractWalletVerifier, SignatureAsker } from '../contract-wallet.ts';
import { createContractWalletVerifier } from './contract-wallet.ts';

/** Providers that know no contract, and answer only when the test releases them. */
let release: () => void;
let close: () => void;
let verifier: ContractWalletVerifier;
beforeEach(async () => {
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const noCode = JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x' });
  const server = createServer((_request, response) => void released.then(() => response.end(noCode)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  verifier = createContractWalletVerifier(() => [`http://127.0.0.1:${port}`, `http://localhost:${port}`]);
  close = () => server.close();
});
afterEach(() => {
  release();
  close();
});

let addresses = 0;
const newAddress = () => `0x${String((addresses += 1)).padStart(40, '0')}`;

/** `false` once it was checked, `refused` where there was no place. */
const check = (asker: SignatureAsker, address = newAddress()): Promise<boolean | 'refused'> =>
  verifier.isSigned({ network: 'ethereum', address, message: 'log in', signature: '0x00' }, asker).catch((error) => {
    expect(error).toBeInstanceOf(TemporaryError);
    return 'refused' as const;
  });
const login = (client: string, count: number, address?: string) =>
  Array.from({ length: count }, () => check({ for: 'login', client: Client.only(client) }, address));
const checked = async (checks: Promise<boolean | 'refused'>[]) =>
  (await Promise.all(checks)).filter((result) => result === false).length;

test('two clients that ask about slow contracts leave room for a third one, for proofs and for claims', async () => {
  const greedy = [...login('one', 50), ...login('two', 50)];
  const others = [...login('three', 1), check({ for: 'proof', client: Client.only('acc') }), check({ for: 'claim' })];
  release();
  expect(await checked(others)).toBe(3);
  expect(await checked(greedy)).toBeLessThan(20);
});

test('many clients leave room for proofs and for claims', async () => {
  const crowd = Array.from({ length: 60 }, (_, at) => login(`client ${at}`, 1)).flat();
  const others = [check({ for: 'proof', client: Client.only('acc') }), check({ for: 'claim' })];
  release();
  expect(await checked(others)).toBe(2);
  expect(await checked(crowd)).toBe(40);
});

test('checks of one address leave room for other addresses', async () => {
  const address = newAddress();
  const crowd = Array.from({ length: 60 }, (_, at) => login(`client ${at}`, 1, address)).flat();
  const others = login('another', 1);
  release();
  expect(await checked(others)).toBe(1);
  expect(await checked(crowd)).toBe(10);
});

test("two clients that ask about one address leave room for its owner's login", async () => {
  const address = newAddress();
  const greedy = [...login('one', 20, address), ...login('two', 20, address)];
  const owner = login('owner', 1, address);
  release();
  expect(await checked(owner)).toBe(1);
  expect(await checked(greedy)).toBeLessThan(10);
});

test('providers that do not answer have not said that a wallet did not sign', async () => {
  verifier = createContractWalletVerifier(() => ['http://127.0.0.1:9/a', 'http://127.0.0.1:9/b']);
  expect(await check({ for: 'claim' })).toBe('refused');
});
