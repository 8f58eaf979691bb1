import type { EthereumProvider } from './announced.ts';

// EIP-5792: wallets that batch calls, and let others pay for them.

export interface Call {
  to: string;
  data: string;
  value: string;
}

export interface Capabilities {
  atomic?: { status: string };
  atomicBatch?: { supported: boolean };
  paymasterService?: { supported: boolean };
}

const LOOK_MS = 1_000;
const MAX_LOOKS = 120;

/** What the wallet can do with calls on this chain; null if it does not accept them. */
export async function capabilities(
  provider: EthereumProvider,
  from: string,
  chainId: number,
): Promise<Capabilities | null> {
  try {
    const all = (await provider.request({
      method: 'wallet_getCapabilities',
      params: [from, [`0x${chainId.toString(16)}`]],
    })) as Record<string, Capabilities | undefined>;
    const here = Object.entries(all).find(([key]) => Number(key) === chainId)?.[1];
    return here && (here.atomic?.status === 'supported' || here.atomicBatch?.supported === true) ? here : null;
  } catch {
    return null;
  }
}

/** Hands calls over as one request. Returns the wallet's name for them. */
export async function sendCalls(
  provider: EthereumProvider,
  {
    chainId,
    ...request
  }: { from: string; chainId: number; atomicRequired: boolean; calls: readonly Call[]; capabilities?: object },
): Promise<string> {
  const params = [{ version: '2.0.0', chainId: `0x${chainId.toString(16)}`, ...request }];
  const answer = await provider.request({ method: 'wallet_sendCalls', params });
  return typeof answer === 'string' ? answer : (answer as { id: string }).id;
}

/** The hash of their first transaction. Null if the wallet names none for long; undefined if it says that they failed. */
export async function hashOfCalls(provider: EthereumProvider, id: string): Promise<string | null | undefined> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const { status, receipts } = (await provider.request({ method: 'wallet_getCallsStatus', params: [id] })) as {
      status: number | string;
      receipts?: { transactionHash: string }[];
    };
    const hash = receipts?.[0]?.transactionHash;
    if (hash) return hash;
    if (typeof status === 'number' && status >= 400) return undefined;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return null;
}
