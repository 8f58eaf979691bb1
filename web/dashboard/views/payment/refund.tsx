import { useEffect, useState } from 'react';
import { post } from '../../lib/api.ts';
import { assetAmount, networkName } from '../../lib/format.ts';
import { useT } from '../../lib/i18n.tsx';
import { useRead } from '../../lib/state.tsx';
import type { PaymentJson, RefundPlanJson } from '../../lib/types.ts';
import { type BrowserWallet, type ConnectedWallet, watchWallets } from '../../lib/wallets.ts';
import { AddressWarnings } from '../../ui/address-warnings.tsx';
import { Button, Notice, Problem, ServiceMessage, Skeleton, TextField } from '../../ui/basic.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { QrCode } from '../../ui/qr.tsx';
import { MONO, RecordRefund } from './record-refund.tsx';
import { RefundSuggestions } from './refund-suggestions.tsx';

type Step = 'send' | 'record';

/** If nothing reached the merchant's wallet there is nothing to send: another party has the money, or no one has. */
export function ResolveDialog({ payment, onClose }: { payment: PaymentJson; onClose: () => void }) {
  const t = useT();
  return (
    <Dialog title={t('Record as resolved')} onClose={onClose} wide>
      <div className="grid gap-4">
        <Notice>
          {t(
            'Nothing has reached your wallet, so there is nothing to send back. Record the refund once the customer has their money.',
          )}
        </Notice>
        <RecordRefund payment={payment} address="" sent={null} onClose={onClose} />
      </div>
    </Dialog>
  );
}

/**
 * First the merchant returns the money from their own wallet, then the refund is recorded. Nothing here moves money by
 * itself.
 */
export function RefundDialog({ payment, onClose }: { payment: PaymentJson; onClose: () => void }) {
  const t = useT();
  const [step, setStep] = useState<Step>('send');
  const [to, setTo] = useState<string | null>(null);
  const [amount, setAmount] = useState<string | null>(null);
  const [sent, setSent] = useState<string | null>(null);
  const base = useRead<RefundPlanJson>('refund-plan', `/dashboard/api/payments/${payment.id}/refund-plan`);
  const address = (to ?? base.data?.suggestions[0]?.address ?? '').trim();
  const suggested = base.data?.suggestions.find((one) => one.address === address)?.amount;
  const units = (amount ?? suggested ?? base.data?.amount ?? '').trim();
  const isAmount = /^\d+(\.\d+)?$/.test(units);
  const plan = useRead<RefundPlanJson>(
    'refund-plan',
    `/dashboard/api/payments/${payment.id}/refund-plan`,
    { to: address, amount: units },
    { enabled: address !== '' && isAmount, keep: true },
  );
  // While an answer is loading the previous one is still shown, and it is for another address or amount.
  const current = isAmount && address !== '' && !plan.isPlaceholderData ? plan.data : undefined;
  const isAmountRefused = units !== '' && (!isAmount || current?.objection?.startsWith('The amount'));

  return (
    <Dialog title={t('Refund')} onClose={onClose} wide>
      <ol className="mb-5 flex flex-wrap gap-x-5 gap-y-2 text-sm" aria-label={t('Steps')}>
        {(['send', 'record'] as const).map((one, at) => (
          <li
            key={one}
            aria-current={step === one ? 'step' : undefined}
            className="flex items-center gap-2 text-quiet aria-[current=step]:font-semibold aria-[current=step]:text-ink"
          >
            <span className="grid size-6 place-items-center rounded-full bg-raised text-xs">{at + 1}</span>
            {one === 'send' ? t('Send a refund') : t('Record the refund')}
          </li>
        ))}
      </ol>
      {base.isPending ? (
        <Skeleton />
      ) : base.error ? (
        <Problem error={base.error} />
      ) : step === 'send' ? (
        <div className="grid gap-4">
          <p className="text-sm text-quiet">
            {t(
              'The funds are in your wallet, so the refund must come from you. Blockchain transfers can’t be reversed.',
            )}
          </p>
          <TextField
            label={t('To ({network})', { network: networkName(base.data.network) })}
            value={to ?? address}
            spellCheck={false}
            className={MONO}
            onChange={(event) => setTo(event.target.value)}
            error={
              address &&
              current?.objection &&
              !isAmountRefused && <ServiceMessage code="invalid_payout_wallet">{current.objection}</ServiceMessage>
            }
          />
          <RefundSuggestions
            plan={base.data}
            onChoose={(chosen) => {
              setTo(chosen);
              setAmount(null);
            }}
          />
          {base.data.suggestions.some(({ kind }) => kind === 'sender') && (
            <Notice tone="warn">
              {t(
                'Payments from an exchange come from the exchange’s own address. Ask the customer before you send a refund there.',
              )}
            </Notice>
          )}
          {current && <AddressWarnings warnings={current.warnings} />}
          <TextField
            label={t('Amount ({asset})', { asset: base.data.asset })}
            inputMode="decimal"
            value={amount ?? units}
            onChange={(event) => setAmount(event.target.value)}
            error={isAmountRefused && t('Enter a number such as 12.50.')}
            hint={t('{amount} received.', { amount: assetAmount(base.data.amount, base.data.asset) })}
          />
          {current?.uri && !payment.livemode && (
            <Notice>{t('Test mode: there is nothing to send. Continue and record the refund.')}</Notice>
          )}
          {current?.uri && payment.livemode && (
            <SendBy
              key={`${address} ${units}`}
              uri={current.uri}
              transfer={{ to: address, amount: units }}
              payment={payment}
              onSent={(hash) => {
                setSent(hash);
                setStep('record');
              }}
            />
          )}
          <div className="flex justify-end gap-2 border-t border-line pt-4">
            <Button onClick={() => setStep('record')}>{t('I’ve sent it')}</Button>
          </div>
        </div>
      ) : (
        <RecordRefund payment={payment} address={address} sent={sent} back={() => setStep('send')} onClose={onClose} />
      )}
    </Dialog>
  );
}

/** Lets a wallet of this browser sign and send it, or shows it as a code for another one. */
function SendBy({
  uri,
  transfer,
  payment,
  onSent,
}: {
  uri: string;
  transfer: { to: string; amount: string };
  payment: PaymentJson;
  onSent: (hash: string) => void;
}) {
  const t = useT();
  const [wallets, setWallets] = useState<BrowserWallet[]>([]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // Connected with another account than the payout wallet's, so sending needs another confirmation.
  const [foreign, setForeign] = useState<ConnectedWallet | null>(null);
  useEffect(() => watchWallets(setWallets), []);
  const family = payment.receive_network === 'solana' ? 'solana' : 'evm';
  const build = async (from: string) =>
    (
      await post<{ transaction: string }>(`/dashboard/api/payments/${payment.id}/refund-transaction`, {
        from,
        ...transfer,
      })
    ).transaction;
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    await work().catch(setError);
    setBusy(false);
  };
  const send = async (connected: ConnectedWallet) => onSent(await connected.send({ uri, build }));
  const start = (wallet: BrowserWallet) =>
    attempt(async () => {
      const connected = await wallet.connect();
      const isOwn =
        family === 'evm'
          ? connected.address.toLowerCase() === payment.receive_address.toLowerCase()
          : connected.address === payment.receive_address;
      setForeign(isOwn ? null : connected);
      if (isOwn) await send(connected);
    });
  return (
    <div className="grid gap-4 rounded-xl border border-line p-4 sm:grid-cols-[auto_1fr] sm:items-center">
      <QrCode text={uri} label={t('QR code of the refund for your wallet')} className="w-32" />
      <div className="grid gap-2">
        <p className="text-sm text-quiet">
          {t('Scan it with the wallet that holds the funds, or send from this browser.')}
        </p>
        {wallets
          .filter((one) => one.family === family)
          .map((wallet) => (
            <Button key={wallet.name} kind="primary" busy={busy} onClick={() => void start(wallet)}>
              {t('Send with {wallet}', { wallet: wallet.name })}
            </Button>
          ))}
        {foreign && (
          <Notice tone="warn">
            <p className="mb-2 [overflow-wrap:anywhere]">
              {t('Your wallet is connected with {address}, which isn’t the payout wallet of this payment.', {
                address: foreign.address,
              })}
            </p>
            <Button busy={busy} onClick={() => void attempt(() => send(foreign))}>
              {t('Send from it anyway')}
            </Button>
          </Notice>
        )}
        <p className="text-sm">
          <a href={uri} className="text-accent underline">
            {t('Open in a wallet on this device')}
          </a>
        </p>
        <Problem error={error} />
      </div>
    </div>
  );
}
