import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  erc20Abi,
  type Hex,
  isAddress,
  parseAbi,
} from 'viem';
import { NETWORKS, type NetworkRow, type ReceiveNetwork } from '@quittance/contract';

/** The only call that an operation may make. */
export interface SponsoredTransfer {
  network: ReceiveNetwork;
  token: Address;
  to: Address;
  amountUnits: bigint;
  /** The tag of the checkout, which its page appends to the transfer. */
  tag: Hex | null;
}

/**
 * Why a user operation (ERC-4337, any version) is not exactly this transfer at a usual cost; null if it is. The allowed forms are
 * built and compared, because a search finds the bytes of a transfer also where they are never executed.
 */
export function objectionTo(operation: unknown, transfer: SponsoredTransfer): string | null {
  if (typeof operation !== 'object' || operation === null) return 'must be a user operation';
  const fields = Object.entries(operation);
  const wrong = fields.find(([name, value]) => !FIELDS.has(name) || !isBytes(value));
  if (wrong) return 'must have the fields of ERC-4337 only, each as hex';
  const { sender = '', callData = '' } = operation as Record<string, Hex>;
  if (!isAddress(sender, { strict: false })) return 'must name the `sender`';
  if (!formsOf(transfer).includes(callData.toLowerCase()))
    return 'must transfer the amount due to the payout wallet, and do nothing else';
  if (!isKnownAccount(operation)) return 'must not create an account, unless by a factory that is known';
  return isUsualCost(operation, transfer.network) ? null : 'must not cost more than a transfer usually does';
}

/** What an operation may cost at most; 0 where no paymaster is asked. */
export function sponsoredGwei(network: ReceiveNetwork): number {
  return (NETWORKS[network] as NetworkRow).sponsoredGwei ?? 0;
}

const BYTES = [
  'sender',
  'callData',
  'signature',
  'initCode',
  'factory',
  'factoryData',
  'paymasterAndData',
  'paymaster',
];
/** What the sender may be charged for. */
const GAS = {
  callGasLimit: 1_000_000n,
  // Passkeys and the creation of an account cost most.
  verificationGasLimit: 2_000_000n,
  // On networks that settle elsewhere it holds the price of the data there.
  preVerificationGas: 20_000_000n,
  paymasterVerificationGasLimit: 1_000_000n,
  paymasterPostOpGasLimit: 1_000_000n,
} as const;
const FIELDS = new Set([
  ...BYTES,
  ...Object.keys(GAS),
  'nonce',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'paymasterData',
  'chainId',
]);
const MAX_FIELD_LENGTH = 16_384;

/** Of the Coinbase Smart Wallet, versions 1 and 1.1: its accounts exist on a network from their first operation on. */
const FACTORIES = ['0x0ba5ed0c6aa8c49038f819e587e2633c4a9f428a', '0xba5ed110efdba3d005bfc882d75358acbbb85842'];
/** `createAccount(bytes[],uint256)` */
const CREATE_ACCOUNT = '3ffba36f';
const MAX_CREATION_LENGTH = 2_048;

function isBytes(value: unknown): value is Hex {
  return (
    value === null || (typeof value === 'string' && value.length <= MAX_FIELD_LENGTH && /^0x[0-9a-fA-F]*$/.test(value))
  );
}

function isKnownAccount(operation: object): boolean {
  const { initCode, factory, factoryData } = operation as Record<string, Hex | null | undefined>;
  // Versions of ERC-4337 read one form or the other, so an operation with both creates what the check may not have read.
  const forms = [initCode ?? '0x', `${factory ?? '0x'}${(factoryData ?? '0x').slice(2)}`];
  const [creation, other] = forms.map((form) => form.toLowerCase()).filter((form) => form !== '0x');
  if (creation === undefined) return true;
  return (
    other === undefined &&
    creation.length <= MAX_CREATION_LENGTH &&
    FACTORIES.some((known) => creation.startsWith(known + CREATE_ACCOUNT))
  );
}

/** A limit that is not named yet is zero: a paymaster signs the limits, so others would void what it signed. */
function isUsualCost(operation: object, network: ReceiveNetwork): boolean {
  const quantity = (name: string) => {
    const value = (operation as Record<string, Hex | null | undefined>)[name];
    return value && value !== '0x' ? BigInt(value) : 0n;
  };
  const limits = Object.entries(GAS).map(([name, most]) => ({ gas: quantity(name), most }));
  const total = limits.reduce((sum, { gas }) => sum + gas, 0n);
  const cost = total * quantity('maxFeePerGas');
  return limits.every(({ gas, most }) => gas <= most) && cost <= BigInt(sponsoredGwei(network)) * 1_000_000_000n;
}

const ABI = parseAbi([
  'struct Call { address target; uint256 value; bytes data; }',
  'function execute(address target, uint256 value, bytes data)',
  'function executeBatch(Call[] calls)',
  'function executeUserOp(address to, uint256 value, bytes data, uint8 operation)',
  'function executeUserOpWithErrorString(address to, uint256 value, bytes data, uint8 operation)',
]);
const EXECUTE_CALL = parseAbi([
  'struct Call { address target; uint256 value; bytes data; }',
  'function execute(Call call)',
]);
const EXECUTE_KERNEL = parseAbi(['function execute(address to, uint256 value, bytes data, uint8 operation)']);
const EXECUTE_MODE = parseAbi(['function execute(bytes32 mode, bytes executionCalldata)']);
const BATCH_OF_LISTS = parseAbi(['function executeBatch(address[] targets, uint256[] values, bytes[] data)']);
const BATCH_WITHOUT_VALUES = parseAbi(['function executeBatch(address[] targets, bytes[] data)']);
const CALLS = [
  {
    type: 'tuple[]',
    components: [{ type: 'address' }, { type: 'uint256' }, { type: 'bytes' }],
  },
] as const;
/** ERC-7579: one call, or several, and a failure reverts. */
const SINGLE_MODE: Hex = `0x${'00'.repeat(32)}`;
const BATCH_MODE: Hex = `0x01${'00'.repeat(31)}`;

/** How common smart accounts encode this one call, with the tag and without. */
function formsOf({ token, to, amountUnits, tag }: SponsoredTransfer): string[] {
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amountUnits] });
  const texts: Hex[] = tag ? [transfer, `${transfer}${tag.slice(2)}`] : [transfer];
  return texts.flatMap((data) => formsOfCall(token, data)).map((form) => form.toLowerCase());
}

function formsOfCall(target: Address, data: Hex): Hex[] {
  const call = { target, value: 0n, data };
  const packed = encodePacked(['address', 'uint256', 'bytes'], [target, 0n, data]);
  const calls = encodeAbiParameters(CALLS, [[[target, 0n, data]]]);
  return [
    // SimpleAccount, Light Account, Coinbase Smart Wallet
    encodeFunctionData({ abi: ABI, functionName: 'execute', args: [target, 0n, data] }),
    encodeFunctionData({ abi: ABI, functionName: 'executeBatch', args: [[call]] }),
    encodeFunctionData({ abi: BATCH_OF_LISTS, functionName: 'executeBatch', args: [[target], [0n], [data]] }),
    encodeFunctionData({ abi: BATCH_OF_LISTS, functionName: 'executeBatch', args: [[target], [], [data]] }),
    encodeFunctionData({ abi: BATCH_WITHOUT_VALUES, functionName: 'executeBatch', args: [[target], [data]] }),
    // Safe's module for ERC-4337
    encodeFunctionData({ abi: ABI, functionName: 'executeUserOp', args: [target, 0n, data, 0] }),
    encodeFunctionData({ abi: ABI, functionName: 'executeUserOpWithErrorString', args: [target, 0n, data, 0] }),
    // Kernel 2
    encodeFunctionData({ abi: EXECUTE_KERNEL, functionName: 'execute', args: [target, 0n, data, 0] }),
    // MetaMask's smart account
    encodeFunctionData({ abi: EXECUTE_CALL, functionName: 'execute', args: [call] }),
    // ERC-7579 and ERC-7821: Kernel 3, Nexus, Safe7579, MetaMask's smart account
    encodeFunctionData({ abi: EXECUTE_MODE, functionName: 'execute', args: [SINGLE_MODE, packed] }),
    encodeFunctionData({ abi: EXECUTE_MODE, functionName: 'execute', args: [BATCH_MODE, calls] }),
  ];
}
