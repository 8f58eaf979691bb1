import type { getWallets } from '@wallet-standard/app';

/** The interface of EIP-1193. */
export interface EthereumProvider {
  request(call: { method: string; params?: unknown }): Promise<unknown>;
}

/** A wallet that announced itself on this page. */
export type AnnouncedWallet = {
  id: string;
  name: string;
  /** A `data:` icon, if the wallet has one. */
  icon: string | null;
} & ({ family: 'evm'; provider: EthereumProvider } | { family: 'solana'; wallet: Wallet });

/**
 * Collects the wallets that announce themselves: by EIP-6963, and by the Wallet Standard if they have all of these
 * features. `listener` gets all of them, and again whenever there is a further one. Asks only scripts of this page.
 * Returns how to end it.
 */
export function watchAnnounced(
  features: readonly `${string}:${string}`[],
  listener: (wallets: AnnouncedWallet[]) => void,
): () => void {
  const found = new Map<string, AnnouncedWallet>();
  const report = () => listener([...found.values()]);

  const announced = (event: Event) => {
    const { info, provider } = (
      event as CustomEvent<{ info: { uuid: string; name: string; icon?: string }; provider: EthereumProvider }>
    ).detail;
    found.set(info.uuid, { id: info.uuid, name: info.name, icon: pictureOf(info.icon), family: 'evm', provider });
    report();
  };
  addEventListener('eip6963:announceProvider', announced);
  dispatchEvent(new Event('eip6963:requestProvider'));

  // A wallet that is there registers when the page announces itself, a later one asks for the same.
  const idOf = ({ name }: Wallet) => `solana:${name}`;
  const register = (...wallets: readonly Wallet[]) => {
    for (const wallet of wallets)
      if (features.every((feature) => feature in wallet.features)) {
        const { name, icon } = wallet;
        found.set(idOf(wallet), { id: idOf(wallet), name, icon: pictureOf(icon), family: 'solana', wallet });
      }
    report();
    return () => {
      for (const wallet of wallets) found.delete(idOf(wallet));
      report();
    };
  };
  const asked = (event: Event) => (event as CustomEvent<(page: object) => void>).detail({ register });
  addEventListener('wallet-standard:register-wallet', asked);
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }));
  return () => {
    removeEventListener('eip6963:announceProvider', announced);
    removeEventListener('wallet-standard:register-wallet', asked);
  };
}

/** Only an icon in the announcement itself, because fetching one would reveal the visit. */
function pictureOf(icon: string | undefined): string | null {
  return icon && /^data:image\//.test(icon) ? icon : null;
}

/** A wallet as the Wallet Standard announces it. */
export type Wallet = ReturnType<ReturnType<typeof getWallets>['get']>[number];
export type WalletAccount = Wallet['accounts'][number];
