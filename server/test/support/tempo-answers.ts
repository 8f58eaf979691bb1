import { pad, toHex } from 'viem';
import type { Raw } from './evm-rpc-proxy.ts';

const FEE_MANAGER = '0xfeec000000000000000000000000000000000000';
const FEE_TOKEN = '0x20c0000000000000000000000000000000000000';
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const FEE_UNITS = 300n;
/** Behind the indexes of a test chain's blocks. */
const FEE_LOG_INDEX = 10_000;

/**
 * An object of an answer as a node of Tempo writes it (tempoxyz/tempo, `crates/precompiles/src/tip20`; wevm/ox,
 * `src/tempo/Transaction.ts`): a transaction makes calls, and every receipt logs the fee, of a failed one too.
 */
export function inTempoDialect(raw: Raw): Raw {
  if (typeof raw.input === 'string' && raw.hash !== undefined) {
    const { to, value, input, ...rest } = raw;
    return { ...rest, type: '0x76', feeToken: FEE_TOKEN, nonceKey: '0x0', calls: [{ to, value, input }] };
  }
  if (!Array.isArray(raw.logs) || raw.transactionHash === undefined) return raw;
  const { blockHash, blockNumber, transactionHash, transactionIndex, from } = raw;
  const fee = {
    address: FEE_TOKEN,
    topics: [TRANSFER_TOPIC, pad(from as `0x${string}`), pad(FEE_MANAGER)],
    data: pad(toHex(FEE_UNITS)),
    logIndex: toHex(FEE_LOG_INDEX + Number(transactionIndex)),
    removed: false,
    ...{ blockHash, blockNumber, transactionHash, transactionIndex },
  };
  return { ...raw, type: '0x76', feeToken: FEE_TOKEN, feePayer: from, logs: [...raw.logs, fee] };
}
