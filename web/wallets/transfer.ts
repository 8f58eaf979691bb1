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

/**
 * The transfer for a payment, read from its EIP-681 URI, which names chain and contract. The tag comes after the
 * arguments, which tokens ignore.
 */
export function ethereumTransfer({
  uri,
  address,
  tag,
  identified_by: identifiedBy,
}: Pick<PublicPaymentJson, 'uri' | 'address' | 'tag' | 'identified_by'>): EthereumTransfer | undefined {
  const asked = readUri(uri);
  if (asked?.to.toLowerCase() !== address.toLowerCase()) return undefined;
  const { chainId, token, amount } = asked;
  return token
    ? {
        chainId,
        token,
        to: token,
        data: `0x${TRANSFER}${word(BigInt(address))}${word(amount)}${tag?.slice(2) ?? ''}`,
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

/** The chain, the token if it is one, the recipient and the amount of an EIP-681 URI as this service writes it. */
export function readUri(
  uri: string | null,
): { chainId: number; token: string | null; to: string; amount: bigint } | undefined {
  const token = /^ethereum:(0x[0-9a-fA-F]{40})@(\d+)\/transfer\?address=(0x[0-9a-fA-F]{40})&uint256=(\d+)$/.exec(
    uri ?? '',
  );
  const coin = /^ethereum:(0x[0-9a-fA-F]{40})@(\d+)\?value=(\d+)$/.exec(uri ?? '');
  const [, contract, chainId, to, units] = token ?? [undefined, null, coin?.[2], coin?.[1], coin?.[3]];
  if (!chainId || !units || !to) return undefined;
  return { chainId: Number(chainId), token: contract ?? null, to, amount: BigInt(units) };
}

/** `balanceOf(account)` */
export function balanceCall(account: string): string {
  return `0x70a08231${word(BigInt(account))}`;
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
