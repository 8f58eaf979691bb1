import { NETWORKS, type ErrorCode, type ReceiveNetwork } from '@quittance/contract';
import { HASH_FORMS, transactionHashIn } from '../../outside/chains/pure/transaction-hash.ts';
import type { Caller } from '../../platform/caller.ts';
import { fail } from '../../platform/errors.ts';
import type { Outgoing } from './outgoing.ts';

/** Of one refund or payout, beside the last: each is looked up. */
const MAX_OTHER_HASHES = 4;

/**
 * The same with a transaction that was named for it. The one before is kept, unless the chain says that it sent something
 * else: two wallets may have sent both.
 */
export function naming<One extends Outgoing>(one: One, txHash: string): One {
  const isDisproved = one.mismatch !== null || one.failureReason === 'transaction_reverted';
  const before = one.txHash === null || isDisproved ? [] : [one.txHash];
  return { ...one, txHash, otherHashes: othersThan(txHash, [...before, ...one.otherHashes]) };
}

/** One that has arrived keeps its transaction. What a wallet sent as well is named beside it. */
export function namingLate<One extends Outgoing>(one: One, txHash: string): One {
  return { ...one, otherHashes: othersThan(one.txHash, [txHash, ...one.otherHashes]) };
}

function othersThan(txHash: string | null, named: readonly string[]): string[] {
  const others = [...new Set(named)].filter((one) => one !== txHash);
  if (others.length > MAX_OTHER_HASHES)
    fail('invalid_payment_state', {
      message: 'Too many transactions were named for it. Cancel it, and plan a new one.',
    });
  return others;
}

/** The same with its transaction. Test mode has no chain that could confirm it. */
export function asSent<One extends Outgoing>(
  one: One,
  txHash: string,
  { now, realNow }: Pick<Caller, 'now' | 'realNow'>,
) {
  const sent = { ...naming(one, txHash), mismatch: null, failureReason: null, sentAt: now, looks: 0 };
  return one.livemode
    ? { ...sent, status: 'sent' as const, dueAt: realNow }
    : { ...sent, status: 'final' as const, dueAt: null };
}

/** The transaction hash that a text names, as it is stored, or the error that names `tx_hash`. */
export function readTxHash(network: ReceiveNetwork, text: string, code: ErrorCode): string {
  const { family } = NETWORKS[network];
  return (
    transactionHashIn(network, text) ??
    fail(code, { param: 'tx_hash', message: `Not a valid transaction hash. It must be ${HASH_FORMS[family]}.` })
  );
}
