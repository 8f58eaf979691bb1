import { isDeepStrictEqual } from 'node:util';
import {
  decodeFunctionResult,
  domainSeparator,
  encodeFunctionData,
  getAddress,
  type Hex,
  isHex,
  parseAbi,
  parseSignature,
} from 'viem';
import { cached } from '../../../platform/cached.ts';
import { MINUTE_MS } from '../../../platform/time.ts';
import type { TokenDomain } from '../pure/authorization.ts';
import type { SignedTransfer, TransferFault } from '../pure/signed-transfer.ts';
import { askBeforeNo, askUntil, neededOf } from '../rpc/ask-until.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import type { Providers } from '../rpc/providers.ts';
import { MalformedAnswerError, record } from '../rpc/shapes.ts';
import { decideYesOrNo } from '../rpc/quorum.ts';
import type { SignedPayments } from '../chain.ts';
import { isRevert } from './refusals.ts';
import { hash, quantity } from './shapes.ts';

const ABI = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, uint8, bytes32, bytes32)',
]);
const MAX_TEXT_LENGTH = 64;
const MAX_DOMAINS = 100;
/** Of one transaction (EIP-7825). */
const MAX_GAS = 2n ** 24n;
/** 0 on networks without one. */
const NEWEST_BASE_FEE: Call<bigint> = {
  method: 'eth_getBlockByNumber',
  params: ['latest', false],
  parse: (value) => quantity(record(value, 'block').baseFeePerGas ?? '0x0', 'block.baseFeePerGas'),
};
/** What one provider says alone, and that a token has no domain, may be true for a moment only. */
const DOUBTED_TTL_MS = 1 * MINUTE_MS;

/** The domain that providers name. */
interface Said {
  domain: TokenDomain | null;
  isAgreed: boolean;
}

/** Reads the state of tokens and accounts for signed payments from the network's providers. */
export function createSignedPayments(providers: Providers, chainId: number): SignedPayments {
  const domains = cached<Said>({
    max: MAX_DOMAINS,
    ttlMs: ({ domain, isAgreed }) => (domain && isAgreed ? Number.POSITIVE_INFINITY : DOUBTED_TTL_MS),
  });

  return {
    domain: async (token) => (await domains.get(token, () => findDomain(providers, token, chainId))).domain,

    accepts: (token, one) =>
      askBeforeNo(providers, async (provider) => {
        const { r, s, yParity } = parseSignature(one.signature);
        const args = [one.from, one.to, one.value, one.validAfter, one.validBefore, one.nonce, yParity + 27, r, s];
        const data = encodeFunctionData({ abi: ABI, functionName: 'transferWithAuthorization', args: args as never });
        return succeeds(provider, { to: token, data });
      }),

    async faultOf(transfer) {
      const isEnough = (faults: readonly (TransferFault | null)[]) =>
        faults.includes(null) || faults.length >= neededOf(providers);
      const faults = await askUntil(providers, (provider) => faultOf(provider, transfer), isEnough);
      return faults.includes(null) ? null : (faults[0] ?? 'other');
    },

    async isUsed(token, payer, nonce) {
      const data = encodeFunctionData({
        abi: ABI,
        functionName: 'authorizationState',
        args: [getAddress(payer), nonce as Hex],
      });
      const state: Call<boolean> = {
        ...callOf({ to: token, data }),
        parse: (value) => BigInt(hash(value, 'the state of an authorization')) !== 0n,
      };
      return askQuorum(providers, (provider) => provider.call(state));
    },

    async isNonceSpent(payer, nonce) {
      const sent = numberFrom('eth_getTransactionCount', [payer, 'latest']);
      return (await askQuorum(providers, async (provider) => (await provider.call(sent)) > nonce)) === true;
    },
  };
}

/** Sends a raw transaction to every provider. Returns whether any accepted it or already has it. */
export async function broadcast(providers: Providers, raw: string): Promise<boolean> {
  const answers = await askAll(providers, async (provider) => {
    const [answer] = await provider.attempt([{ method: 'eth_sendRawTransaction', params: [raw], parse: () => true }]);
    if (!answer) return false;
    return 'value' in answer || /already known|already imported|known transaction/i.test(answer.error.message);
  });
  return answers.includes(true);
}

/** What two providers say alike or, if no two do, the first that names a domain with its own separator. */
async function findDomain(providers: Providers, token: string, chainId: number): Promise<Said> {
  const agreed = (said: readonly (TokenDomain | null)[]) =>
    said.filter((domain) => isDeepStrictEqual(domain, said.at(-1))).length >= neededOf(providers);
  const said = await askUntil(
    providers,
    (provider) => readDomain(provider, token, chainId),
    (answers) => answers.length > 0 && agreed(answers),
  );
  if (agreed(said)) return { domain: said.at(-1) ?? null, isAgreed: true };
  return { domain: said.find((domain) => domain !== null) ?? null, isAgreed: false };
}

/** Null if the token has no typed signatures, or its name and version do not produce its domain separator. */
async function readDomain(provider: Provider, token: string, chainId: number): Promise<TokenDomain | null> {
  const answers = await provider.attempt(
    (['name', 'version', 'DOMAIN_SEPARATOR'] as const).map((functionName) =>
      callOf({ to: token, data: encodeFunctionData({ abi: ABI, functionName }) }),
    ),
  );
  const [name, version, separator] = answers.map((answer): Hex | undefined => {
    if ('value' in answer) return answer.value;
    if (!isRevert(answer.error)) throw answer.error;
    return undefined;
  });
  if (!name || !version || !separator) return null;
  try {
    const domain = {
      name: decodeFunctionResult({ abi: ABI, functionName: 'name', data: name }),
      version: decodeFunctionResult({ abi: ABI, functionName: 'version', data: version }),
    };
    if (domain.name.length > MAX_TEXT_LENGTH || domain.version.length > MAX_TEXT_LENGTH) return null;
    const expected = domainSeparator({ domain: { ...domain, chainId, verifyingContract: getAddress(token) } });
    return separator.toLowerCase() === expected ? domain : null;
  } catch {
    // The contract's responses do not decode as these functions.
    return null;
  }
}

/** One that no block takes would be waited for, and asked about, for days. */
async function faultOf(provider: Provider, transfer: SignedTransfer): Promise<TransferFault | null> {
  const { from, token, data, accessList, nonce, gas, maxFeePerGas } = transfer;
  const [balance, sent, baseFee] = await provider.batch([
    numberFrom('eth_getBalance', [from, 'latest']),
    numberFrom('eth_getTransactionCount', [from, 'latest']),
    NEWEST_BASE_FEE,
  ] as const);
  if (sent !== BigInt(nonce) || balance < gas * maxFeePerGas) return 'other';
  if (maxFeePerGas < baseFee) return 'maxFeePerGas';
  const [needed] = await provider.attempt([numberFrom('eth_estimateGas', [{ from, to: token, data, accessList }])]);
  if (!needed) return 'other';
  if ('value' in needed) return isEnoughGas(gas, needed.value) ? null : 'gas';
  if (isRevert(needed.error)) return 'other';
  throw needed.error;
}

/** Estimates differ, so four fifths are enough: a block takes even less, and carries it out without success. */
function isEnoughGas(gas: bigint, needed: bigint): boolean {
  return 5n * gas >= 4n * needed && gas <= MAX_GAS;
}

/** Whether a call would succeed now. An unclear response counts as a provider failure. */
async function succeeds(provider: Provider, call: { to: string; data: Hex }): Promise<boolean> {
  const [answer] = await provider.attempt([callOf(call)]);
  if (!answer) return false;
  if ('value' in answer) return true;
  if (isRevert(answer.error)) return false;
  throw answer.error;
}

/**
 * The answer of every provider, which shows its chain with it; undefined for one that failed. Requests by strangers must
 * not pause a provider.
 */
async function askAll<T>(providers: Providers, ask: (provider: Provider) => Promise<T>): Promise<(T | undefined)[]> {
  return Promise.all(
    providers.names.map((name) =>
      providers.use(({ proven }) => ask(proven), { only: [name], ignoreFailures: true }).catch(() => undefined),
    ),
  );
}

/** By the quorum of transfers: a single provider neither ends a payment nor keeps it open. */
export async function askQuorum(
  providers: Providers,
  ask: (provider: Provider) => Promise<boolean>,
): Promise<boolean | null> {
  const answers = await askAll(providers, ask);
  return decideYesOrNo(
    providers.names.map((name, at) => ({ answer: answers[at], unreachableMs: providers.unreachableMs(name) })),
  );
}

function callOf(call: { to: string; data: Hex }): Call<Hex> {
  return {
    method: 'eth_call',
    params: [call, 'latest'],
    parse(value) {
      if (!isHex(value)) throw new MalformedAnswerError('the result of a call is not hex');
      return value;
    },
  };
}

function numberFrom(method: string, params: readonly unknown[]): Call<bigint> {
  return { method, params, parse: (value) => quantity(value, method) };
}
