import type { PublicPaymentJson } from '@quittance/contract';

/** The transfer that an Ethereum wallet is asked to send. */
export interface EthereumTransfer {
  chainId: number;
  /** Null for the chain's native coin. */
  token: string | null;
  to: string;
  data: string;
  /** Base units. */
  amount: bigint;
  /** As a quantity in hex. */
  value: string;
}

const TRANSFER = 'a9059cbb';
const TRANSFER_WITH_MEMO = '95777d59';

/**
 * The transfer for a payment, read from its EIP-681 URI, which names chain and contract, and the memo if there is one. The
 * tag comes after the arguments, which tokens ignore.
 */
export function ethereumTransfer({
  uri,
  address,
  tag,
  identified_by: identifiedBy,
}: Pick<PublicPaymentJson, 'uri' | 'address' | 'tag' | 'identified_by'>): EthereumTransfer | undefined {
  const asked = readUri(uri);
  if (asked?.to.toLowerCase() !== address.toLowerCase()) return undefined;
  const { chainId, token, amount, memo } = asked;
  return token
    ? {
        chainId,
        token,
        to: token,
        data: `0x${memo ? TRANSFER_WITH_MEMO : TRANSFER}${word(BigInt(address))}${word(amount)}${memo ?? tag?.slice(2) ?? ''}`,
        amount,
        value: '0x0',
      }
    : {
        chainId,
        token: null,
        to: address,
        // Some wallets warn of data in a transfer of the native coin, so it is sent only if nothing else identifies the
        // payment.
        data: identifiedBy === 'reference' && tag ? tag : '0x',
        amount,
        value: `0x${amount.toString(16)}`,
      };
}

const ADDRESS = '(0x[0-9a-fA-F]{40})';
const TOKEN_URI = new RegExp(
  `^ethereum:${ADDRESS}@(\\d+)/transfer(WithMemo)?\\?address=${ADDRESS}&uint256=(\\d+)(?:&bytes32=0x([0-9a-f]{64}))?$`,
);
const COIN_URI = /^ethereum:(0x[0-9a-fA-F]{40})@(\d+)\?value=(\d+)$/;

interface Asked {
  chainId: number;
  token: string | null;
  to: string;
  amount: bigint;
  /** Hex digits. */
  memo?: string;
}

/** What an EIP-681 URI as this service writes it asks for. */
export function readUri(uri: string | null): Asked | undefined {
  const [, coinTo, coinChain, coinAmount] = COIN_URI.exec(uri ?? '') ?? [];
  if (coinTo && coinChain && coinAmount)
    return { chainId: Number(coinChain), token: null, to: coinTo, amount: BigInt(coinAmount) };
  const [, token, chainId, withMemo, to, amount, memo] = TOKEN_URI.exec(uri ?? '') ?? [];
  if (!token || !to || !amount || (withMemo === undefined) !== (memo === undefined)) return undefined;
  return { chainId: Number(chainId), token, to, amount: BigInt(amount), ...(memo && { memo }) };
}

/** `balanceOf(account)` */
export function balanceCall(account: string): string {
  return `0x70a08231${word(BigInt(account))}`;
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
