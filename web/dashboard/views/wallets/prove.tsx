import { familyOf } from '../../../networks/networks.ts';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { post } from '../../lib/api.ts';
import { instant } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { useAct } from '../../lib/state.tsx';
import type { PayoutWalletJson, WalletProofJson } from '../../lib/types.ts';
import { type BrowserWallet, watchWallets } from '../../lib/wallets.ts';
import { Button, Copyable, Field, Notice, Problem, Skeleton, TextField } from '../../ui/basic.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { fieldProblems } from '../../ui/field-problems.tsx';

type Proof = { signature: string } | { tx_hash: string };

/**
 * Three ways to prove an address: a signature in this browser, a signature from elsewhere (also of a contract wallet),
 * or a transfer.
 */
export function ProveWallet({ wallet, onClose }: { wallet: PayoutWalletJson; onClose: () => void }) {
  const { t } = useLanguage();
  const { wallets, challenge, problem, busy, prove, signBy } = useProof(wallet, onClose);
  const { errorOf, otherError } = fieldProblems(problem, {
    signature: t('Paste a signature'),
    tx_hash: t('Transaction hash'),
  });
  const family = familyOf(wallet.network);
  return (
    <Dialog title={t('Verify that you own it')} onClose={onClose} wide>
      <div className="grid gap-4">
        {challenge?.message !== null && (
          <p className="text-sm text-quiet">
            {t('Sign this message with the wallet. It costs nothing and moves no funds.')}
          </p>
        )}
        {challenge?.message && (
          <pre
            dir="ltr"
            className="rounded-lg bg-raised p-4 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]"
          >
            {challenge.message}
          </pre>
        )}
        {!challenge && !problem && <Skeleton rows={3} />}
        {challenge?.message && (
          <>
            <div className="flex flex-wrap items-center gap-2">
              {wallets
                .filter((one) => one.family === family)
                .map((one) => (
                  <Button key={one.name} kind="primary" busy={busy} onClick={() => void signBy(one)}>
                    {t('Sign with {wallet}', { wallet: one.name })}
                  </Button>
                ))}
              <span className="text-sm text-quiet">
                <Copyable text={challenge.message} shown={t('Copy message')} />
              </span>
            </div>
            <SignatureForm busy={busy} error={errorOf('signature')} prove={prove} />
          </>
        )}
        {challenge?.transfer && (
          <TransferForm transfer={challenge.transfer} busy={busy} error={errorOf('tx_hash')} prove={prove} />
        )}
        {wallets.length === 0 && family !== 'tron' && <Notice>{t('No wallet found in this browser.')}</Notice>}
        <Problem error={otherError} />
      </div>
    </Dialog>
  );
}

/** The challenge, the wallets of this browser, and the proof that they or the merchant give. */
function useProof(wallet: PayoutWalletJson, onProved: () => void) {
  const { t } = useLanguage();
  const [wallets, setWallets] = useState<BrowserWallet[]>([]);
  const [problem, setProblem] = useState<unknown>(null);
  const [challenge, setChallenge] = useState<WalletProofJson | null>(null);
  const send = useAct(
    (proof: Proof) => post<WalletProofJson>(`/v1/payout-wallets/${wallet.id}/prove`, proof),
    ['wallets', 'onboarding', 'attention', 'transfers'],
  );
  useEffect(() => watchWallets(setWallets), []);
  useEffect(() => {
    post<WalletProofJson>(`/v1/payout-wallets/${wallet.id}/prove`).then(setChallenge, setProblem);
  }, [wallet.id]);
  const prove = (proof: Proof) => send.mutate(proof, { onSuccess: onProved });
  const signBy = async (one: BrowserWallet) => {
    setProblem(null);
    try {
      const connected = await one.connect();
      if (connected.address.toLowerCase() !== wallet.address.toLowerCase())
        throw new Error(
          t('Your wallet is connected with {address}. Switch it to the account of this payout wallet.', {
            address: connected.address,
          }),
        );
      prove({ signature: await connected.sign(challenge?.message ?? '') });
    } catch (error) {
      setProblem(error);
    }
  };
  return { wallets, challenge, problem: problem ?? send.error, busy: send.isPending, prove, signBy };
}

/** A signature from elsewhere. */
function SignatureForm({ busy, error, prove }: { busy: boolean; error: ReactNode; prove: (proof: Proof) => void }) {
  const { t } = useLanguage();
  const [signature, setSignature] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    prove({ signature: signature.trim() });
  };
  return (
    <form onSubmit={submit} className="grid gap-3 border-t border-line pt-4">
      <Field
        label={t('Paste a signature')}
        hint={t(
          'You can also sign with a hardware wallet, a contract wallet or on another device. Paste the signature here.',
        )}
        error={error}
      >
        {(control) => (
          <textarea
            {...control}
            rows={2}
            spellCheck={false}
            value={signature}
            onChange={(event) => setSignature(event.target.value)}
          />
        )}
      </Field>
      <div className="flex justify-end">
        <Button type="submit" busy={busy} disabled={signature.trim() === ''}>
          {t('Verify')}
        </Button>
      </div>
    </form>
  );
}

/** A transfer of an exact amount from the address to itself. */
function TransferForm({
  transfer,
  busy,
  error,
  prove,
}: {
  transfer: NonNullable<WalletProofJson['transfer']>;
  busy: boolean;
  error: ReactNode;
  prove: (proof: Proof) => void;
}) {
  const { t, locale } = useLanguage();
  const [hash, setHash] = useState('');
  const amount = `${transfer.amount} ${transfer.asset}`;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    prove({ tx_hash: hash.trim() });
  };
  return (
    <form onSubmit={submit} className="grid gap-3 border-t border-line pt-4">
      <p className="text-sm">
        {t(
          'Or send exactly {amount} from this address to itself before {time}, and paste the transaction hash once it is final.',
          { amount, time: instant(locale, transfer.expires_at) },
        )}
      </p>
      <p className="text-sm text-quiet">
        <Copyable text={transfer.amount} shown={amount} />
      </p>
      <TextField
        label={t('Transaction hash')}
        spellCheck={false}
        value={hash}
        error={error}
        onChange={(event) => setHash(event.target.value)}
      />
      <div className="flex justify-end">
        <Button type="submit" busy={busy} disabled={hash.trim() === ''}>
          {t('Verify')}
        </Button>
      </div>
    </form>
  );
}
