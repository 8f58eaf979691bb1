import { ProviderError, RpcError, UnansweredError } from '../../src/outside/chains/rpc/errors.ts';
import type { Call, Provider } from '../../src/outside/chains/rpc/provider.ts';

/** The calls of a step of reading. */
export const STEP_CALLS = [
  'the block before',
  'the blocks',
  'the logs',
  'the receipts',
  'the last block again',
  'the rest of a batch',
] as const;

/** Why a provider may refuse a step. */
export const REASONS: [string, (method: string) => Error][] = [
  ...[-32_003, -32_000, -32_005, -32_600, -32_601, -32_602, -32_603, -32_700, 0, 3, 429, 500].map(
    (code): [string, (method: string) => Error] => [`error ${code}`, (method) => new RpcError(method, code, 'refused')],
  ),
  ['response too large', (method) => new RpcError(method, -32_003, 'response too large')],
  ['no answer in time', () => new UnansweredError('node did not answer')],
  [
    'an answer that cannot be parsed',
    () => new ProviderError('node returned invalid JSON', { cause: new SyntaxError('…') }),
  ],
  ['a bug in its evaluation', () => new TypeError('x is not a function')],
];

/** A provider one of whose calls fails in each step over more than one block. */
export function failingOverOneBlock(
  plain: Provider,
  which: (typeof STEP_CALLS)[number] | 'the balances' | 'the traces',
  { failure, widths }: { failure: (method: string) => Error; widths: number[] },
): Provider {
  let width = 0;
  let isLastAgain = false;
  const fails = ({ method, params }: Call<unknown>, at: number) => {
    if (width <= 1) return false;
    // As nodes whose limit is met in between: what comes before it is answered.
    if (which === 'the rest of a batch') return at > 0;
    if (method === 'eth_getBlockByNumber' && params[1] === true) return which === 'the blocks';
    if (method === 'eth_getBlockByNumber')
      return isLastAgain ? which === 'the last block again' : which === 'the block before' && at === 0;
    if (method === 'eth_getLogs') return which === 'the logs';
    if (method === 'eth_getBalance' || method === 'eth_call') return which === 'the balances';
    if (method.includes('trace')) return which === 'the traces';
    return method.endsWith('Receipt') && which === 'the receipts';
  };
  const begin = (calls: readonly Call<unknown>[]) => {
    const logs = calls.find(({ method }) => method === 'eth_getLogs')?.params[0] as
      | { fromBlock: string; toBlock: string }
      | undefined;
    isLastAgain = logs === undefined && calls[0]?.method === 'eth_getBlockByNumber';
    if (!logs) return;
    width = Number(logs.toBlock) - Number(logs.fromBlock) + 1;
    widths.push(width);
  };
  const attempt = async (calls: readonly Call<unknown>[]) => {
    begin(calls);
    const answers: ({ value: unknown } | { error: RpcError })[] = [];
    for (const [at, call] of calls.entries()) {
      const error = fails(call, at) ? failure(call.method) : undefined;
      if (error && !(error instanceof RpcError)) throw error;
      answers.push(error ? { error } : { value: await plain.call(call) });
    }
    return answers;
  };
  const batch = async (calls: readonly Call<unknown>[]) =>
    (await attempt(calls)).map((answer) => {
      if ('error' in answer) throw answer.error;
      return answer.value;
    });
  const call = async (one: Call<unknown>) => (await batch([one]))[0];
  return { name: 'node', requests: 0, recheckChain() {}, attempt, batch, call } as never;
}
