import { isEvm, NETWORKS, READABLE_NETWORKS } from '@quittance/contract';
import { encodeFunctionData, erc20Abi, type Hex, parseAbi, toHex } from 'viem';
import { expect, test } from 'vitest';
import { objectionTo, type SponsoredTransfer } from './user-operation.ts';

const TOKEN = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const TO = '0x52908400098527886E0F7030069857D2E4169EE7';
const SENDER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const TAG: Hex = `0x51544e43${'07'.repeat(16)}`;
const transfer: SponsoredTransfer = { network: 'base', token: TOKEN, to: TO, amountUnits: 49_000_317n, tag: TAG };
const DATA = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [TO, 49_000_317n] });
const word = (hex: string) => hex.padStart(64, '0');
const packedCall = (data: string) => `${TOKEN.slice(2)}${word('')}${data.slice(2)}`;
const bytes = (hex: string) =>
  `${word((hex.length / 2).toString(16))}${hex}${'0'.repeat((64 - (hex.length % 64)) % 64)}`;
const execute = (data: Hex, target: Hex = TOKEN, value = 0n) =>
  encodeFunctionData({
    abi: parseAbi(['function execute(address, uint256, bytes)']),
    functionName: 'execute',
    args: [target, value, data],
  });
const objection = (changes: Record<string, unknown>, of = transfer) =>
  objectionTo({ sender: SENDER, callData: execute(DATA), ...changes }, of);

test.each<[string, Hex]>([
  ['execute', execute(DATA)],
  ['execute in other letters', execute(DATA).toUpperCase().replace('0X', '0x') as Hex],
  ['execute with the tag', execute(`${DATA}${TAG.slice(2)}`)],
  [
    'executeBatch of the Coinbase Smart Wallet',
    encodeFunctionData({
      abi: parseAbi(['struct C { address a; uint256 b; bytes c; }', 'function executeBatch(C[] calls)']),
      args: [[{ a: TOKEN, b: 0n, c: `${DATA}${TAG.slice(2)}` }]],
    }),
  ],
  [
    'the module of a Safe, by its selector',
    `0x7bb37428${word(TOKEN.slice(2))}${word('')}${word('80')}${word('')}${bytes(DATA.slice(2))}`,
  ],
  ['ERC-7579, one call', `0xe9ae5c53${word('')}${word('40')}${bytes(packedCall(DATA))}`],
])('the transfer is taken as %s', (_form, callData) => {
  expect(objection({ callData })).toBeNull();
  expect(objection({ callData }, { ...transfer, amountUnits: 49_000_318n })).toMatch(/amount due/);
  expect(objection({ callData }, { ...transfer, to: SENDER })).toMatch(/payout wallet/);
  expect(objection({ callData }, { ...transfer, token: SENDER })).toMatch(/nothing else/);
  expect(objection({ callData: `${callData}00` })).toMatch(/nothing else/);
});

test.each<[string, Hex]>([
  ['with another tag', execute(`${DATA}${TAG.slice(2).replace('07', '08')}`)],
  ['with the native coin too', execute(DATA, TOKEN, 1n)],
  ['of another token', execute(DATA, SENDER)],
  ['behind another call', execute(`0x12345678${DATA.slice(2)}`, SENDER)],
  [
    'beside another call',
    encodeFunctionData({
      abi: parseAbi(['struct C { address a; uint256 b; bytes c; }', 'function executeBatch(C[] calls)']),
      args: [
        [
          { a: TOKEN, b: 0n, c: DATA },
          { a: SENDER, b: 0n, c: '0x' },
        ],
      ],
    }),
  ],
  [
    'by a delegated call of a Safe',
    `0x7bb37428${word(TOKEN.slice(2))}${word('')}${word('80')}${word('1')}${bytes(DATA.slice(2))}`,
  ],
  ['bare', DATA],
  ['missing', '0x'],
])('a transfer %s is refused', (_what, callData) => {
  expect(objection({ callData })).toMatch(/nothing else/);
});

test('an account is created only by a known factory, and only created', () => {
  const factory = '0xBA5ED110eFDBa3D005bfC882d75358ACBbB85842';
  const create = `0x3ffba36f${word('40')}`;
  expect(objection({ factory, factoryData: create })).toBeNull();
  expect(objection({ initCode: `${factory}${create.slice(2)}` })).toBeNull();
  expect(objection({ factory: null, factoryData: null, initCode: '0x' })).toBeNull();
  for (const other of [
    { factory: SENDER, factoryData: create },
    { factory, factoryData: '0x12345678' },
    { factory },
    { factory: '0x7702' },
    { factory, factoryData: `${create}${'00'.repeat(2_000)}` },
    { initCode: `${SENDER}${create.slice(2)}` },
    { initCode: '0x', factory: SENDER },
    { initCode: `${factory}${create.slice(2)}`, factory: SENDER, factoryData: create },
    { initCode: `${SENDER}${create.slice(2)}`, factory, factoryData: create },
  ])
    expect(objection(other)).toMatch(/create an account/);
});

test('gas and price are those of a transfer', () => {
  const usual = {
    callGasLimit: toHex(120_000),
    verificationGasLimit: toHex(400_000),
    preVerificationGas: toHex(80_000),
    maxFeePerGas: toHex(50_000_000),
  };
  expect(objection(usual)).toBeNull();
  for (const name of ['callGasLimit', 'verificationGasLimit', 'preVerificationGas', 'paymasterPostOpGasLimit'])
    expect(objection({ ...usual, [name]: toHex(30_000_000) })).toMatch(/cost/);
  expect(objection({ ...usual, maxFeePerGas: toHex(10_000_000_000n) })).toMatch(/cost/);
  expect(
    objection({ ...usual, maxFeePerGas: toHex(10_000_000_000n) }, { ...transfer, network: 'ethereum' }),
  ).toBeNull();
});

/** A busy hour's price of gas. */
const BUSY_GWEI: Record<string, number> = { ethereum: 20, base: 0.05, polygon: 100, arbitrum: 0.1, bnb: 3 };

test.each(READABLE_NETWORKS.filter((network) => isEvm(network) && NETWORKS[network].native !== 'USD'))(
  'a transfer on %s is paid for in a busy hour, and not at a hundred times its price',
  (network) => {
    const at = (gwei: number) => {
      const operation = { callGasLimit: toHex(120_000), verificationGasLimit: toHex(400_000) };
      return objection({ ...operation, maxFeePerGas: toHex(Math.round(gwei * 1e9)) }, { ...transfer, network });
    };
    const busy = BUSY_GWEI[network] as number;
    expect([at(busy), at(100 * busy)]).toEqual([null, expect.stringMatching(/cost/)]);
  },
);

test.each([[null], [[]], ['0x'], [{ sender: SENDER, callData: 7 }], [{ sender: 'x', callData: execute(DATA) }]])(
  '%j is not an operation',
  (operation) => expect(objectionTo(operation, transfer)).not.toBeNull(),
);
