import {
  COMMON_FAULTS,
  errorOf,
  type FaultyRpc,
  type Means,
  resultOf,
  type RpcAnswer,
  type RpcCall,
  startFaultyRpc,
} from './faulty-rpc.ts';
import { pick } from './random.ts';

/** The faults of an EVM provider: common ones, those of honest nodes, and those of liars. */
export const FAULTS = [
  ...COMMON_FAULTS,
  'stale_head',
  'head_going_back',
  'missing_logs',
  'empty_results',
  'null_block',
  'too_many_results',
  'range_limit',
  'wrong_chain_id',
  'forged_logs',
  'forged_transfer',
  'contradicting_blocks',
  'flipped_receipts',
  'forged_tags',
] as const;
/**
 * Two that are not in the list: after an invented head the true one counts again only after half a minute, and invented
 * frames need a transaction that moves ether inside contracts.
 */
export type Fault = (typeof FAULTS)[number] | 'invented_head' | 'forged_frames';

export interface RpcProxy extends FaultyRpc<Fault> {
  /** Methods that this provider does not serve, by their prefix. */
  refused: string[];
  /** The error of refused methods; by default, they do not exist. */
  refusal: { code: number; message: string } | null;
  /** Maximum number of addresses in one topic of a log filter. */
  maxRecipients: number;
  /** Maximum number of a block's receipts in one response. */
  maxReceipts: number;
  /** The transfers that `forged_logs`, `forged_transfer` and `forged_frames` invent. */
  forge: { token: string; to: string; amountUnits: bigint };
  /** Changes or removes every object of every answer, see `lies/evm-answers.ts`. */
  lie: ((raw: Raw) => Raw | null) | null;
  /** Balances that it shows differently, from a block on. */
  balances: { address: string; from: bigint; by: bigint }[];
}

export type Raw = Record<string, unknown>;

const LAG_BLOCKS = 50n;
const INVENTED_BLOCKS = 40n;
const MAX_RANGE = 10n;
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

export async function startRpcProxy(upstream: string, { seed }: { seed?: number } = {}): Promise<RpcProxy> {
  const forged = new Map<string, { receipt: Raw; transaction: Raw }>();
  const spoilAndLie = async (...[call, answer, means]: Parameters<typeof spoil>) => {
    const spoilt = await spoil(call, answer, means);
    return proxy.lie ? { ...spoilt, result: rewrite(spoilt.result, proxy.lie) } : spoilt;
  };
  const proxy = Object.assign(await startFaultyRpc<Fault>({ upstream, seed, spoil: spoilAndLie }), {
    lie: null as RpcProxy['lie'],
    balances: [] as RpcProxy['balances'],
    refused: [] as string[],
    refusal: null as RpcProxy['refusal'],
    maxRecipients: 1000,
    maxReceipts: Number.POSITIVE_INFINITY,
    forge: { token: `0x${'00'.repeat(20)}`, to: `0x${'00'.repeat(20)}`, amountUnits: 1n },
  });
  return proxy;

  async function spoil(call: RpcCall, answer: RpcAnswer, means: Means<Fault>): Promise<RpcAnswer> {
    const { strikes, suffers, random, ask } = means;
    const result = (value: unknown) => resultOf(call, value);
    const error = (code: number, message: string) => errorOf(call, code, message);

    if (proxy.refused.some((start) => call.method.startsWith(start))) {
      const { code, message } = proxy.refusal ?? {
        code: -32601,
        message: `the method ${call.method} does not exist/is not available`,
      };
      return error(code, message);
    }
    if (strikes('unknown_errors')) return error(-32603, 'internal error');
    if (strikes('wrong_shapes'))
      return result(pick(random, [{}, [], 'what', 5, { number: 5, hash: '0x', logs: null }, [{ topics: {} }]]));
    if (call.method === 'eth_chainId' && strikes('wrong_chain_id')) return result('0x539');
    if (suffers('stale_head')) return strikes('stale_head') ? stale(call, answer, ask) : answer;
    if (call.params[0] === 'latest' && strikes('head_going_back')) {
      return {
        ...(await ask('eth_getBlockByNumber', [
          hex(max0((await headNumber(ask)) - BigInt(1 + Math.floor(random() * 20)))),
          call.params[1],
        ])),
        id: call.id,
      };
    }

    if (call.params[0] === 'latest' && answer.result && strikes('invented_head')) {
      const head = answer.result as Raw;
      return result({
        ...head,
        number: hex(BigInt(head.number as string) + INVENTED_BLOCKS),
        hash: `0x${'1e'.repeat(32)}`,
      });
    }

    switch (call.method) {
      case 'eth_getLogs':
        return spoilLogs(call, answer, means);
      case 'eth_getTransactionReceipt': {
        const invention = forged.get(call.params[0] as string);
        if (invention) return result(invention.receipt);
        if (answer.result && strikes('flipped_receipts'))
          return result({ ...(answer.result as Raw), status: '0x0', logs: [] });
        return answer;
      }
      case 'eth_getBlockReceipts': {
        if (!Array.isArray(answer.result)) return answer;
        if (answer.result.length > proxy.maxReceipts) return error(-32005, 'response size exceeded');
        if (strikes('flipped_receipts'))
          return result(answer.result.map((receipt: Raw) => ({ ...receipt, status: '0x0', logs: [] })));
        return answer;
      }
      case 'eth_getTransactionByHash': {
        const invention = forged.get(call.params[0] as string);
        if (invention) return result(invention.transaction);
        if (answer.result && strikes('forged_tags')) return result(withForgedTag(answer.result as Raw));
        return answer;
      }
      case 'debug_traceTransaction':
        return strikes('forged_frames') ? result(withForgedFrame(answer.result as Raw)) : answer;
      case 'debug_traceBlockByHash':
        return strikes('forged_frames')
          ? result((answer.result as Raw[]).map((one) => ({ ...one, result: withForgedFrame(one.result as Raw) })))
          : answer;
      case 'eth_getBalance':
        return answer.result && proxy.balances.length > 0 ? withOtherBalance(call, answer, ask) : answer;
      case 'eth_getBlockByNumber':
        return spoilBlock(call, answer, means);
      default:
        return answer;
    }
  }

  async function spoilLogs(
    call: RpcCall,
    answer: RpcAnswer,
    { strikes, random, ask }: Means<Fault>,
  ): Promise<RpcAnswer> {
    const result = (value: unknown) => resultOf(call, value);
    const range = call.params[0] as { fromBlock: string; toBlock: string; topics?: unknown[] };
    const span = BigInt(range.toBlock) - BigInt(range.fromBlock) + 1n;
    if (((range.topics?.[2] as unknown[] | undefined)?.length ?? 0) > proxy.maxRecipients)
      return errorOf(call, -32602, 'exceed max topics');
    if (strikes('missing_logs')) return result((answer.result as unknown[]).filter(() => random() < 0.5));
    if (strikes('empty_results')) return result([]);
    if (span > MAX_RANGE && strikes('too_many_results'))
      return errorOf(call, -32005, 'query returned more than 10000 results');
    if (span > MAX_RANGE && strikes('range_limit')) return errorOf(call, ...pick(random, RANGE_ERRORS));
    if (strikes('forged_logs'))
      return result([...(answer.result as unknown[]), (await invent(BigInt(range.toBlock), random, ask)).log]);
    if (strikes('forged_transfer')) {
      const invention = await invent(BigInt(range.toBlock), random, ask);
      forged.set(invention.log.transactionHash as string, invention);
      return result([...(answer.result as unknown[]), invention.log]);
    }
    return answer;
  }

  /** Another payment to the address by each contract that pays it. */
  function withForgedFrame(trace: Raw): Raw {
    const { to, amountUnits } = proxy.forge;
    const calls = (trace.calls as Raw[] | undefined) ?? [];
    const paid = calls.find((one) => String(one.to).toLowerCase() === to.toLowerCase());
    return paid ? { ...trace, calls: [...calls, { ...paid, value: hex(amountUnits) }] } : trace;
  }

  async function withOtherBalance(call: RpcCall, answer: RpcAnswer, ask: Ask): Promise<RpcAnswer> {
    const [address, { blockHash }] = call.params as [string, { blockHash: string }];
    const { number } = (await ask('eth_getBlockByHash', [blockHash, false])).result as { number: string };
    const by = proxy.balances
      .filter((one) => one.address.toLowerCase() === address.toLowerCase() && one.from <= BigInt(number))
      .reduce((sum, one) => sum + one.by, 0n);
    return resultOf(call, hex(BigInt(answer.result as string) + by));
  }

  /** A forged transfer that is so consistent that only another provider can contradict it. */
  async function invent(number: bigint, random: () => number, ask: Ask) {
    const block = (await ask('eth_getBlockByNumber', [hex(number), false])).result as Raw;
    const transactionHash = `0x${Array.from({ length: 64 }, () => Math.floor(random() * 16).toString(16)).join('')}`;
    const place = { blockNumber: block.number, blockHash: block.hash, transactionHash, transactionIndex: '0x0' };
    const log: Raw = {
      ...place,
      address: proxy.forge.token,
      removed: false,
      logIndex: '0x0',
      topics: [TRANSFER_TOPIC, word(`0x${'11'.repeat(20)}`), word(proxy.forge.to)],
      data: `0x${proxy.forge.amountUnits.toString(16).padStart(64, '0')}`,
    };
    return {
      log,
      receipt: {
        ...place,
        status: '0x1',
        from: `0x${'11'.repeat(20)}`,
        to: proxy.forge.token,
        gasUsed: '0x5208',
        effectiveGasPrice: '0x1',
        logs: [log],
      } as Raw,
      transaction: {
        ...place,
        hash: transactionHash,
        from: `0x${'11'.repeat(20)}`,
        to: proxy.forge.token,
        value: '0x0',
        input: '0x',
      } as Raw,
    };
  }
}

/** Inner objects first. */
/** Changes or removes each object of an answer. */
export function rewrite(value: unknown, lie: (raw: Raw) => Raw | null): unknown {
  if (Array.isArray(value)) return value.map((one) => rewrite(one, lie)).filter((one) => one !== null);
  if (typeof value !== 'object' || value === null) return value;
  return lie(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, rewrite(inner, lie)])));
}

type Ask = Means<Fault>['ask'];

const RANGE_ERRORS: [code: number, message: string][] = [
  [-32602, 'eth_getLogs is limited to a 10 block range'],
  [-32000, 'query timeout exceeded'],
  [-32701, 'Please specify an address in your request or, to remove restrictions, order a dedicated full node'],
  [-32005, 'query exceeds max block range 10'],
];

/** The node as it was some blocks ago. */
async function stale(call: RpcCall, answer: RpcAnswer, ask: Ask): Promise<RpcAnswer> {
  const head = max0((await headNumber(ask)) - LAG_BLOCKS);
  const nothing = resultOf(call, null);
  const result = answer.result as Raw | null;
  if (call.method === 'eth_getBlockByNumber') {
    const tag = call.params[0] as string;
    if (tag.startsWith('0x')) return BigInt(tag) > head ? nothing : answer;
    return {
      ...(await ask(call.method, [hex(tag === 'latest' ? head : max0(head - 2n)), call.params[1]])),
      id: call.id,
    };
  }
  if (call.method === 'eth_getLogs')
    return { ...answer, result: (answer.result as Raw[]).filter((log) => BigInt(log.blockNumber as string) <= head) };
  if (result && typeof result.blockNumber === 'string' && BigInt(result.blockNumber) > head) return nothing;
  return answer;
}

function spoilBlock(call: RpcCall, answer: RpcAnswer, { strikes }: Means<Fault>): RpcAnswer {
  if (strikes('null_block')) return resultOf(call, null);
  const block = answer.result as { transactions: Raw[] } | null;
  if (block && call.params[1] === true && strikes('forged_tags'))
    return resultOf(call, { ...block, transactions: block.transactions.map(withForgedTag) });
  if (block && strikes('contradicting_blocks')) return resultOf(call, { ...block, hash: `0x${'ba'.repeat(32)}` });
  return answer;
}

function withForgedTag(transaction: Raw): Raw {
  return { ...transaction, input: `${transaction.input as string}51544e43${'66'.repeat(16)}` };
}

async function headNumber(ask: Ask): Promise<bigint> {
  return BigInt((await ask('eth_blockNumber', [])).result as string);
}

function hex(number: bigint): string {
  return `0x${number.toString(16)}`;
}

function word(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
}

function max0(number: bigint): bigint {
  return number < 0n ? 0n : number;
}
