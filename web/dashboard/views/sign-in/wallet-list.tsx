import { useEffect, useState } from 'react';
import { post } from '../../lib/api.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { type BrowserWallet, watchWallets } from '../../lib/wallets.ts';
import { Button, Problem } from '../../ui/basic.tsx';

/** The wallets of this browser, each of which signs in with a signature. */
export function WalletList({ invitation, enter }: { invitation: string | null; enter: () => Promise<void> }) {
  const { t } = useLanguage();
  const [wallets, setWallets] = useState<BrowserWallet[]>([]);
  const [busy, setBusy] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => watchWallets(setWallets), []);

  const signIn = async (wallet: BrowserWallet) => {
    setBusy(wallet.name + wallet.family);
    setError(null);
    try {
      const { address, sign } = await wallet.connect();
      const network = wallet.family === 'evm' ? 'ethereum' : 'solana';
      const { nonce } = await post<{ nonce: string }>('/v1/auth/nonce', { address, network });
      await post('/dashboard/session/wallet', {
        address,
        network,
        signature: await sign(nonce),
        ...(invitation && { invitation }),
      });
      await enter();
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(null);
    }
  };
  return (
    <div className="grid gap-2">
      {wallets.map((wallet) => (
        <Button
          key={wallet.name + wallet.family}
          busy={busy === wallet.name + wallet.family}
          disabled={busy !== null}
          onClick={() => void signIn(wallet)}
          className="justify-start!"
        >
          {wallet.icon ? (
            <img src={wallet.icon} alt="" width="20" height="20" className="rounded" />
          ) : (
            <span className="size-5 rounded bg-tint" />
          )}
          <span className="flex-1 text-start">{wallet.name}</span>
          <span className="text-xs text-quiet">{wallet.family === 'evm' ? 'Ethereum' : 'Solana'}</span>
        </Button>
      ))}
      {wallets.length === 0 && (
        <p className="text-center text-sm text-quiet">
          {t('No wallet found in this browser. Install an Ethereum or Solana wallet to sign in with a signature.')}
        </p>
      )}
      <Problem error={error} isPublic />
    </div>
  );
}
