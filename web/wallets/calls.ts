import type { EthereumProvider } from './announced.ts';
import { refusalOf } from './refusal.ts';

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

/** Whether the wallet refused calls because they are too many at once. Some call the parameters invalid instead. */
export function isTooMany(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: number; message?: string };
  return code === 5740 || (code === -32602 && /size|too (many|large)|exceed/i.test(message));
}

/**
 * The transaction of each of the calls. Null if the wallet does not say for long, or has carried out only some of them;
 * undefined if it says that it carried out none. Never throws: a wallet that fails to answer has the calls all the same.
 */
export async function hashesOfCalls(
  provider: EthereumProvider,
  id: string,
  count: number,
): Promise<string[] | null | undefined> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const answer = await lookAt(provider, id);
    if (answer === null) return null;
    const { status, receipts } = answer;
    const hashes = (receipts ?? []).map(({ transactionHash }) => transactionHash);
    const [first] = hashes;
    if (count === 1 && first) return [first];
    if (status === 'CONFIRMED' || Number(status) >= 200) return decided(Number(status), hashes, count);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return null;
}

interface CallsStatus {
  status?: number | string;
  receipts?: { transactionHash: string }[] | null;
}

/** What the wallet says of calls at the moment; null if it never says anything. A locked one may be unlocked. */
async function lookAt(provider: EthereumProvider, id: string): Promise<CallsStatus | null> {
  try {
    return ((await provider.request({ method: 'wallet_getCallsStatus', params: [id] })) as CallsStatus | null) ?? {};
  } catch (error) {
    return refusalOf(error) === 'unable' ? null : {};
  }
}

/** A wallet that carries calls out together names one transaction; another names one for each. */
function decided(status: number, hashes: readonly string[], count: number): string[] | null | undefined {
  const [first] = hashes;
  if (status >= 600) return null;
  if (!first) return status >= 400 ? undefined : null;
  if (new Set(hashes).size === 1) return Array.from({ length: count }, () => first);
  return hashes.length === count ? [...hashes] : null;
}
