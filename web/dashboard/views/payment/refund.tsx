import { type FormEvent, useEffect, useState } from 'react';
import { post } from '../../lib/api.ts';
import { assetAmount, cents, fromCents, networkName, shorten } from '../../lib/format.ts';
import { useT } from '../../lib/i18n.tsx';
import { useAct, useRead } from '../../lib/state.tsx';
import type { PaymentJson, RefundCheckJson, RefundPlanJson } from '../../lib/types.ts';
import { type BrowserWallet, watchWallets } from '../../lib/wallets.ts';
import { Button, Field, Notice, Problem, Skeleton, TextField } from '../../ui/basic.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { QrCode } from '../../ui/qr.tsx';

const CHANGED = ['payments', 'payment', 'timeline', 'overview', 'transfers'];
const REASON_LENGTH = 280;
type Step = 'send' | 'record';

/** First the money goes back from the merchant's own wallet, then it is written down. Nothing here can move money by itself. */
export function RefundDialog({ payment, onClose }: { payment: PaymentJson; onClose: () => void }) {
  const t = useT();
  const [step, setStep] = useState<Step>('send');
  const [to, setTo] = useState<string | null>(null);
  const [amount, setAmount] = useState<string | null>(null);
  const [txHash, setTxHash] = useState('');
  const base = useRead<RefundPlanJson>('refund-plan', `/dashboard/api/payments/${payment.id}/refund-plan`);
  const address = to ?? base.data?.suggestions[0]?.address ?? '';
  const units = amount ?? base.data?.amount ?? '';
  const plan = useRead<RefundPlanJson>('refund-plan', `/dashboard/api/payments/${payment.id}/refund-plan`, { to: address.trim(), amount: /^\d+(\.\d+)?$/.test(units) ? units : undefined }, { enabled: address.trim() !== '', keep: true });

  return (
    <Dialog title={t('Refund')} onClose={onClose} wide>
      <ol className="mb-5 flex gap-5 text-sm" aria-label={t('Steps')}>
        {(['send', 'record'] as const).map((one, at) => (
          <li key={one} aria-current={step === one ? 'step' : undefined} className="flex items-center gap-2 text-quiet aria-[current=step]:font-semibold aria-[current=step]:text-ink">
            <span className="grid size-6 place-items-center rounded-full bg-raised text-xs">{at + 1}</span>{one === 'send' ? t('Send the money back') : t('Record the refund')}
          </li>
        ))}
      </ol>
      {base.isPending ? <Skeleton /> : base.error ? <Problem error={base.error} /> : step === 'send' ? (
        <div className="grid gap-4">
          <p className="text-sm text-quiet">{t('The money is in your wallet, so only you can send it. What is sent on a chain cannot be taken back.')}</p>
          <TextField label={t('To ({network})', { network: networkName(base.data.network) })} value={address} spellCheck={false} className="block w-full rounded-lg border border-line bg-surface px-3 py-2 font-mono text-sm" error={address && plan.data?.objection} onChange={(event) => setTo(event.target.value)} />
          {base.data.suggestions.length > 0 && (
            <div className="flex flex-wrap gap-2">
              {base.data.suggestions.map((one) => (
                <Button key={one.address} onClick={() => setTo(one.address)}>{one.kind === 'given' ? t('Given by the customer') : t('Where it came from')}: <span className="font-mono text-xs">{shorten(one.address, 4)}</span></Button>
              ))}
            </div>
          )}
          {base.data.suggestions.some(({ kind }) => kind === 'sender') && <Notice tone="warn">{t('Money from an exchange comes from the exchange’s address. Ask the customer before you send it back there.')}</Notice>}
          <TextField label={t('Amount ({asset})', { asset: base.data.asset })} inputMode="decimal" value={units} onChange={(event) => setAmount(event.target.value)} hint={t('{amount} arrived.', { amount: assetAmount(base.data.amount, base.data.asset) })} />
          {plan.data?.uri && <SendBy uri={plan.data.uri} payment={payment} onSent={(hash) => { setTxHash(hash); setStep('record'); }} />}
          <div className="flex justify-end gap-2 border-t border-line pt-4"><Button onClick={() => setStep('record')}>{t('I have sent it')}</Button></div>
        </div>
      ) : <Record payment={payment} address={address} txHash={txHash} setTxHash={setTxHash} back={() => setStep('send')} onClose={onClose} />}
    </Dialog>
  );
}

function SendBy({ uri, payment, onSent }: { uri: string; payment: PaymentJson; onSent: (hash: string) => void }) {
  const t = useT();
  const [wallets, setWallets] = useState<BrowserWallet[]>([]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => watchWallets(setWallets), []);
  const fitting = wallets.filter(({ family }) => family === 'evm' && payment.receive_network !== 'solana');
  const send = async (wallet: BrowserWallet) => {
    setBusy(true);
    setError(null);
    try {
      const connected = await wallet.connect();
      if (connected.send) onSent(await connected.send(uri));
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="grid gap-3 rounded-xl border border-line p-4 sm:grid-cols-[auto_1fr] sm:items-center">
      <QrCode text={uri} label={t('The refund as a request for your wallet')} className="w-32" />
      <div className="grid gap-2">
        {payment.livemode ? (
          <>
            <p className="text-sm text-quiet">{t('Scan it with the wallet that holds the money, or send from this browser.')}</p>
            {fitting.map((wallet) => <Button key={wallet.name} kind="primary" busy={busy} onClick={() => void send(wallet)}>{t('Send with {wallet}', { wallet: wallet.name })}</Button>)}
            <p className="text-sm"><a href={uri} className="text-accent underline">{t('Open in a wallet on this device')}</a></p>
          </>
        ) : <Notice>{t('This is test mode: there is nothing to send. Go on and record the refund.')}</Notice>}
        <Problem error={error} />
      </div>
    </div>
  );
}

function Record({ payment, address, txHash, setTxHash, back, onClose }: { payment: PaymentJson; address: string; txHash: string; setTxHash: (hash: string) => void; back: () => void; onClose: () => void }) {
  const t = useT();
  const [shown, setShown] = useState(payment.amount);
  const [reason, setReason] = useState('');
  const [check, setCheck] = useState<RefundCheckJson | null>(null);
  const look = useAct(() => post<RefundCheckJson>(`/dashboard/api/payments/${payment.id}/check-refund`, { tx_hash: txHash.trim(), address: address.trim() }), []);
  const record = useAct(() => post<PaymentJson>(`/v1/payments/${payment.id}/refund`, {
    amount: shown, ...(address.trim() && { address: address.trim() }), ...(reason.trim() && { reason: reason.trim() }),
  }), CHANGED);
  const isTooMuch = /^\d+\.\d{2}$/.test(shown) && cents(shown) > cents(payment.amount);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    record.mutate(undefined, { onSuccess: onClose });
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <div className="grid gap-2">
        <TextField label={t('Transaction (optional)')} hint={t('Looked up on the chain, so that a typing error does not become a record.')} value={txHash} spellCheck={false} className="block w-full rounded-lg border border-line bg-surface px-3 py-2 font-mono text-sm" onChange={(event) => { setTxHash(event.target.value); setCheck(null); }} />
        {txHash.trim() !== '' && address.trim() !== '' && <div><Button busy={look.isPending} onClick={() => look.mutate(undefined, { onSuccess: setCheck })}>{t('Check the transaction')}</Button></div>}
        <Problem error={look.error} />
        {check && <Verdict check={check} />}
      </div>
      <TextField label={t('Amount ({asset})', { asset: payment.currency })} inputMode="decimal" required value={shown} error={isTooMuch && t('At most {amount}', { amount: fromCents(cents(payment.amount)) })} onChange={(event) => setShown(event.target.value)} />
      <Field label={t('Reason (optional)')} hint={t('{count} characters left', { count: REASON_LENGTH - reason.length })}>
        {(control) => <textarea {...control} rows={2} maxLength={REASON_LENGTH} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
      <Problem error={record.error} />
      <div className="flex justify-between gap-2 border-t border-line pt-4">
        <Button kind="quiet" onClick={back}>{t('Back')}</Button>
        <Button kind="primary" type="submit" busy={record.isPending} disabled={isTooMuch}>{t('Record the refund')}</Button>
      </div>
    </form>
  );
}

function Verdict({ check }: { check: RefundCheckJson }) {
  const t = useT();
  switch (check.verdict) {
    case 'found': return (
      <Notice tone="good">
        {check.transfers.map((transfer, at) => <p key={at}>{t('Found: {amount} to {to}', { amount: assetAmount(transfer.amount, transfer.asset), to: shorten(transfer.to) })}{!transfer.from_payout_wallet && transfer.from ? ` (${t('from {address}, not your payout wallet', { address: shorten(transfer.from) })})` : ''}</p>)}
      </Notice>
    );
    case 'unknown': return <Notice tone="warn">{t('The chain does not show this transaction paying this address. It may be too new; look again in a minute.')}</Notice>;
    case 'reverted': return <Notice tone="warn">{t('This transaction failed on the chain: no money moved.')}</Notice>;
    case 'unchecked': return <Notice>{t('Test mode has no public chain, so this is not looked up.')}</Notice>;
  }
}
