import type { Call, Provider } from './provider.ts';

/** How the nodes of a network differ from those whose JSON-RPC they speak. */
export interface Dialect {
  /** What the network does not have: not asked, because a refusal uses up a provider's allowance, and answered with null. */
  lacks?(call: Call<unknown>): boolean;
  /** A result as other networks would write it, before anything else reads it. */
  translate(result: unknown): unknown;
}

/** A provider of such a network, as if it spoke without a dialect. */
export function inDialect(provider: Provider, { lacks = () => false, translate }: Dialect): Provider {
  const translated = <T>(call: Call<T>): Call<T> => ({ ...call, parse: (result) => call.parse(translate(result)) });
  const { proven } = provider;
  const other = proven === provider ? undefined : inDialect(proven, { lacks, translate });
  return {
    name: provider.name,
    get requests() {
      return provider.requests;
    },
    get proven() {
      return other ?? this;
    },
    async attempt(calls) {
      const asked = calls.filter((call) => !lacks(call));
      const answers = await provider.attempt(asked.map(translated));
      return calls.map((call) => (asked.includes(call) ? answers.shift() : { value: call.parse(null) })) as never;
    },
    call: (call) => provider.call(translated(call)),
    batch: (calls) => provider.batch(calls.map(translated) as never) as never,
    recheckChain: () => provider.recheckChain(),
    close: () => provider.close(),
  };
}

type Raw = Record<string, unknown>;

/** Changes each object of a result, however deep it is. */
export function eachObject(value: unknown, change: (raw: Raw) => Raw): unknown {
  if (Array.isArray(value)) return value.map((one) => eachObject(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return change(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, eachObject(inner, change)])));
}

/** A receipt without the events of a call that failed: they have not happened, though some nodes show them. */
export function withoutFailedLogs(raw: Raw): Raw {
  return raw.status === '0x0' && Array.isArray(raw.logs) ? { ...raw, logs: [] } : raw;
}
