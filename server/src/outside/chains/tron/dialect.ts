import type { Call, Provider } from '../rpc/provider.ts';
import { MalformedAnswerError } from '../rpc/shapes.ts';

/** A tag that Tron does not have. It refuses the call, which would use up the provider's allowance. */
const NO_TAG = 'safe';
const HEIGHT_DIGITS = 16;

/**
 * A provider that speaks Tron's dialect of Ethereum's JSON-RPC: what it lacks is not asked for, and what it writes
 * differently is translated before anything else reads it.
 */
export function tronProvider(provider: Provider): Provider {
  const attempt: Provider['attempt'] = async (calls) => {
    const asked = calls.filter((call) => call.params[0] !== NO_TAG);
    const answers = await provider.attempt(asked.map(translated));
    return calls.map((call) => (asked.includes(call) ? answers.shift() : { value: call.parse(null) })) as never;
  };
  const { proven } = provider;
  const other = proven === provider ? undefined : tronProvider(proven);
  return {
    name: provider.name,
    get requests() {
      return provider.requests;
    },
    get proven() {
      return other ?? this;
    },
    attempt,
    call: (call) => provider.call(translated(call)),
    batch: (calls) => provider.batch(calls.map(translated) as never) as never,
    recheckChain: () => provider.recheckChain(),
    close: () => provider.close(),
  };
}

function translated<T>(call: Call<T>): Call<T> {
  return { ...call, parse: (result) => call.parse(translate(result)) };
}

type Raw = Record<string, unknown>;

/** Blocks, transactions, receipts and logs, however deep they are. */
function translate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(translate);
  if (typeof value !== 'object' || value === null) return value;
  const raw = value as Raw;
  requireHeight(raw.hash, raw.number);
  requireHeight(raw.blockHash, raw.blockNumber);
  return {
    ...Object.fromEntries(Object.entries(raw).map(([name, inner]) => [name, translate(inner)])),
    // A transaction in no block has "0x" there.
    ...(raw.blockHash === '0x' && { blockHash: null, blockNumber: null }),
    // Events of a call that failed have not happened.
    ...(raw.status === '0x0' && Array.isArray(raw.logs) && { logs: [] }),
  };
}

/** A block's hash begins with its height, so an answer that mixes two blocks contradicts itself. */
function requireHeight(hash: unknown, number: unknown): void {
  if (typeof hash !== 'string' || typeof number !== 'string' || hash === '0x') return;
  if (!/^0x[0-9a-f]{1,16}$/i.test(number) || !/^0x[0-9a-f]{64}$/i.test(hash)) return;
  if (BigInt(hash.slice(0, 2 + HEIGHT_DIGITS)) !== BigInt(number))
    throw new MalformedAnswerError(`the hash ${hash} is not that of a block ${BigInt(number)}`);
}
