import { randomBytes } from 'node:crypto';

/**
 * The part of a Bitcoin-like chain that a deposit needs: unspent outputs by address, a pool of unconfirmed
 * transactions, and blocks.
 */
export interface BitcoinLike {
  /** Sends to an address; unconfirmed until the next block. Returns the transaction's id. */
  pay(address: string, satoshis: bigint): string;
  mine(): void;
  /** Removes an unconfirmed transaction again, as its sender's replacement does. */
  replace(txid: string, address: string, satoshis: bigint): string;
  received(address: string): { confirmed: bigint; seen: bigint };
}

interface Output {
  txid: string;
  address: string;
  satoshis: bigint;
  isConfirmed: boolean;
}

export function createBitcoinLike(): BitcoinLike {
  let outputs: Output[] = [];
  const sum = (some: Output[]) => some.reduce((total, { satoshis }) => total + satoshis, 0n);

  const chain: BitcoinLike = {
    pay(address, satoshis) {
      const txid = randomBytes(32).toString('hex');
      outputs.push({ txid, address, satoshis, isConfirmed: false });
      return txid;
    },
    mine() {
      for (const output of outputs) output.isConfirmed = true;
    },
    replace(txid, address, satoshis) {
      if (outputs.some((output) => output.txid === txid && output.isConfirmed))
        throw new Error(`${txid} is in a block`);
      outputs = outputs.filter((output) => output.txid !== txid);
      return chain.pay(address, satoshis);
    },
    received(address) {
      const own = outputs.filter((output) => output.address === address);
      return { confirmed: sum(own.filter(({ isConfirmed }) => isConfirmed)), seen: sum(own) };
    },
  };
  return chain;
}
