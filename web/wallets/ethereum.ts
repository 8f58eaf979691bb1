import type { EthereumProvider } from './announced.ts';
import { CHAINS } from './chains.facts.ts';
import { refusalOf } from './refusal.ts';

// What both pages ask Ethereum wallets for. Errors are the wallet's own: each page has its sentences for them.

/** The account that the wallet shares; undefined if it shares none. */
export async function shareAccount(provider: EthereumProvider): Promise<string | undefined> {
  const [account] = (await provider.request({ method: 'eth_requestAccounts' })) as string[];
  return account;
}

/** The account's signature of a text, in hex. */
export async function signText(provider: EthereumProvider, account: string, text: string): Promise<string> {
  const params = [toHex(new TextEncoder().encode(text)), account];
  return String(await provider.request({ method: 'personal_sign', params }));
}

export function toHex(bytes: Uint8Array): string {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Signs and sends; returns the transaction's hash. A wallet that is on another chain by then can refuse it. */
export async function sendTransaction(
  provider: EthereumProvider,
  { chainId, ...transaction }: { chainId: number; from: string; to: string; data?: string; value: string },
): Promise<string> {
  const params = [{ ...transaction, chainId: inHex(chainId) }];
  return String(await provider.request({ method: 'eth_sendTransaction', params }));
}

function inHex(chainId: number): string {
  return `0x${chainId.toString(16)}`;
}

/** Whether the wallet would send on this chain now. */
export async function isOnChain(provider: EthereumProvider, chainId: number): Promise<boolean> {
  return Number(await provider.request({ method: 'eth_chainId' })) === chainId;
}

/**
 * Moves the wallet to a chain, which it may have to add first. False if it stays on another one, where it would send
 * other coins: some wallets add a chain without switching, and some report success and stay.
 */
export async function switchChain(
  provider: EthereumProvider,
  chainId: number,
  onSwitch?: () => void,
): Promise<boolean> {
  if (await isOnChain(provider, chainId)) return true;
  onSwitch?.();
  const wanted = inHex(chainId);
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: wanted }] });
  } catch (error) {
    const known = CHAINS[chainId];
    if (refusalOf(error) !== 'no_network' || !known) throw error;
    await provider.request({
      method: 'wallet_addEthereumChain',
      params: [
        {
          chainId: wanted,
          chainName: known.name,
          nativeCurrency: { name: known.coin, symbol: known.coin, decimals: 18 },
          rpcUrls: [known.rpc],
          blockExplorerUrls: [known.explorer],
        },
      ],
    });
  }
  return isOnChain(provider, chainId);
}
