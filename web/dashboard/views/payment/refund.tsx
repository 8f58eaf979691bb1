import { type FormEvent, useEffect, useRef, useState } from 'react';
import { post } from '../../lib/api.ts';
import { assetAmount, cents, fromCents, networkName } from '../../lib/format.ts';
import { useT } from '../../lib/i18n.tsx';
import { useAct, useRead } from '../../lib/state.tsx';
import type { PaymentJson, RefundCheckJson, RefundPlanJson } from '../../lib/types.ts';
import { type BrowserWallet, type ConnectedWallet, watchWallets } from '../../lib/wallets.ts';
import { AddressWarnings } from '../../ui/address-warnings.tsx';
import { Button, Field, Notice, Problem, ServiceWords, Skeleton, TextField } from '../../ui/basic.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { QrCode } from '../../ui/qr.tsx';
import { RefundSuggestions } from './refund-suggestions.tsx';

const CHANGED = ['payments', 'payment', 'timeline', 'overview', 'transfers'];
const REASON_LENGTH = 280;
const LOOK_AGAIN_MS = 3_000;
const MONO = 'block w-full rounded-lg border border-line bg-surface px-3 py-2 font-mono text-sm';
type Step = 'send' | 'record';

/** First the money goes back from the merchant's own wallet, then it is written down. Nothing here can move money by itself. */
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
  // While an answer is under way the last one still stands there, and it is about another address or amount.
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
              !isAmountRefused && <ServiceWords code="invalid_payout_wallet">{current.objection}</ServiceWords>
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
        <Record payment={payment} address={address} sent={sent} back={() => setStep('send')} onClose={onClose} />
      )}
    </Dialog>
  );
}

/** Lets a wallet of this browser sign and send it, or another one read it. */
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
  // Connected, but with another account than the payout wallet's: sending from it is asked for once more.
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

function Record({
  payment,
  address,
  sent,
  back,
  onClose,
}: {
  payment: PaymentJson;
  address: string;
  sent: string | null;
  back: () => void;
  onClose: () => void;
}) {
  const t = useT();
  const [txHash, setTxHash] = useState(sent ?? '');
  const [shown, setShown] = useState(payment.amount);
  const [reason, setReason] = useState('');
  const [check, setCheck] = useState<RefundCheckJson | null>(null);
  const [isAllTheSame, setAllTheSame] = useState(false);
  const ask = () =>
    post<RefundCheckJson>(`/dashboard/api/payments/${payment.id}/check-refund`, { tx_hash: txHash.trim(), address });
  const look = useAct(ask, []);
  const record = useAct(
    () =>
      post<PaymentJson>(`/v1/payments/${payment.id}/refund`, {
        amount: shown,
        ...(address && { address }),
        ...(reason.trim() && { reason: reason.trim() }),
      }),
    CHANGED,
  );
  useUntilFound(sent !== null && txHash === sent && check?.verdict !== 'found', ask, setCheck);
  const isTooMuch = /^\d+\.\d{2}$/.test(shown) && cents(shown) > cents(payment.amount);
  const isOpen = payment.livemode && txHash.trim() !== '' && check?.verdict !== 'found';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    record.mutate(undefined, { onSuccess: onClose });
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <div className="grid gap-2">
        <TextField
          label={t('Transaction (optional)')}
          hint={t('We’ll check the transaction on-chain before recording it.')}
          value={txHash}
          spellCheck={false}
          className={MONO}
          onChange={(event) => {
            setTxHash(event.target.value);
            setCheck(null);
          }}
        />
        {txHash.trim() !== '' &&
          (address === '' ? (
            <Notice>{t('To check it on-chain, go back and enter the recipient’s address.')}</Notice>
          ) : (
            <div>
              <Button busy={look.isPending} onClick={() => look.mutate(undefined, { onSuccess: setCheck })}>
                {t('Check transaction')}
              </Button>
            </div>
          ))}
        <Problem error={look.error} />
        <div role="status" className="grid gap-2">
          {check ? (
            <Verdict check={check} />
          ) : (
            sent !== null &&
            txHash === sent && <Notice>{t('Sent. Waiting for the transaction to appear on-chain…')}</Notice>
          )}
        </div>
        {isOpen && (
          <label className="flex items-start gap-3 text-sm">
            <input
              type="checkbox"
              className="mt-0.5 size-4 accent-accent"
              checked={isAllTheSame}
              onChange={(event) => setAllTheSame(event.target.checked)}
            />
            {t('Record without on-chain confirmation')}
          </label>
        )}
      </div>
      <TextField
        label={t('Amount ({asset})', { asset: payment.currency })}
        inputMode="decimal"
        required
        value={shown}
        error={isTooMuch && t('At most {amount}', { amount: fromCents(cents(payment.amount)) })}
        onChange={(event) => setShown(event.target.value)}
      />
      <Field
        label={t('Reason (optional)')}
        hint={t(
          { one: '{count} character left', other: '{count} characters left' },
          { count: REASON_LENGTH - reason.length },
        )}
      >
        {(control) => (
          <textarea
            {...control}
            rows={2}
            maxLength={REASON_LENGTH}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
      <Problem error={record.error} />
      <div className="flex justify-between gap-2 border-t border-line pt-4">
        <Button kind="quiet" onClick={back}>
          {t('Back')}
        </Button>
        <Button kind="primary" type="submit" busy={record.isPending} disabled={isTooMuch || (isOpen && !isAllTheSame)}>
          {t('Record the refund')}
        </Button>
      </div>
    </form>
  );
}

/** Looks for what has just been sent, until it is there: a block takes its time. */
function useUntilFound(
  isWanted: boolean,
  ask: () => Promise<RefundCheckJson>,
  tell: (check: RefundCheckJson) => void,
): void {
  const asking = useRef(ask);
  asking.current = ask;
  useEffect(() => {
    if (!isWanted) return undefined;
    let isOver = false;
    const look = async () => {
      const check = await asking.current().catch(() => null);
      if (!isOver && check && check.verdict !== 'unknown') tell(check);
    };
    void look();
    const timer = setInterval(() => void look(), LOOK_AGAIN_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [isWanted, tell]);
}

function Verdict({ check }: { check: RefundCheckJson }) {
  const t = useT();
  switch (check.verdict) {
    case 'found':
      return (
        <Notice tone="good">
          {check.transfers.map((transfer, at) => (
            <p key={at} className="[overflow-wrap:anywhere]">
              {t('Found: {amount} to {to}', { amount: assetAmount(transfer.amount, transfer.asset), to: transfer.to })}
              {!transfer.from_payout_wallet && transfer.from
                ? ` (${t('from {address}, not your payout wallet', { address: transfer.from })})`
                : ''}
            </p>
          ))}
        </Notice>
      );
    case 'unknown':
      return (
        <Notice tone="warn">
          {t('We couldn’t find this transaction paying this address. It may be too recent; try again in a minute.')}
        </Notice>
      );
    case 'reverted':
      return <Notice tone="warn">{t('This transaction failed on-chain. No funds moved.')}</Notice>;
    case 'unchecked':
      return <Notice>{t('Test mode has no public blockchain, so this isn’t checked.')}</Notice>;
  }
}
