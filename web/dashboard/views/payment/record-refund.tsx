import { readAmount, typedIn } from '@quittance/contract/typed-amount';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { create, post } from '../../lib/api.ts';
import { assetAmount, shorten } from '../../lib/format.ts';
import { useLanguage, useT } from '../../lib/i18n.tsx';
import { inventedHash } from '../../lib/made-up.ts';
import { forgetSent } from '../../lib/sent-by-wallets.ts';
import { useAct } from '../../lib/state.tsx';
import { amountProblem, sentAmount } from '../../lib/typed-amount.ts';
import type { PaymentJson, RefundCheckJson, RefundJson } from '../../lib/types.ts';
import { Button, Copyable, Facts, Field, Notice, Problem, TextField } from '../../ui/basic.tsx';
import { Tick } from '../../ui/choices.tsx';
import { fieldProblems } from '../../ui/field-problems.tsx';
import { refundShare, unitsOf } from './refund-share.ts';

export const CHANGED = [
  'attention',
  'payments',
  'payment',
  'refunds',
  'refund-plan',
  'money',
  'timeline',
  'overview',
  'transfers',
];
const REASON_LENGTH = 280;
const LOOK_AGAIN_MS = 3_000;
export const MONO = 'block w-full rounded-lg border border-line bg-surface px-3 py-2 font-mono text-sm';

export type RefundNotes = ReturnType<typeof useRefundNotes>;

/**
 * What the merchant writes of a refund, which stays while they look at where it goes once more. What a wallet sent, with
 * the hash `sent`, is another refund.
 */
export function useRefundNotes(sent: string | null) {
  const none = { sent, hash: sent ?? '', reason: '' };
  const [written, setWritten] = useState(none);
  const notes = written.sent === sent ? written : none;
  return { ...notes, note: (change: Partial<typeof none>) => setWritten({ ...notes, ...change }) };
}

/** Records that the customer has their money back. `back` is missing if nothing was sent from here. */
export function RecordRefund({
  payment,
  address,
  notes,
  returned,
  back,
  onClose,
}: {
  payment: PaymentJson;
  address: string;
  notes: RefundNotes;
  /** The amount sent, in the asset that arrived. */
  returned: string | null;
  back?: () => void;
  onClose: () => void;
}) {
  const language = useLanguage();
  const { t, locale } = language;
  const { sent, reason, note } = notes;
  const transaction = useTransaction(payment, address, notes);
  const [typed, setTyped] = useState(() => typedIn(locale, refundShare(payment, returned)));
  const amount = sentAmount(typed);
  const isAmount = readAmount(typed) !== null;
  const isChecked = isLookedUp(payment, { address, returned, transaction });
  const record = useRecord(payment, {
    amount,
    address,
    reason: reason.trim(),
    ...(isChecked && returned !== null && { transfer: { coinAmount: returned, hash: transaction.hash.trim() } }),
  });
  const labels = { amount: t('Amount ({asset})', { asset: payment.currency }), reason: t('Reason (optional)') };
  const own = { amount: amountProblem(typed, language) };
  const { errorOf, otherError } = fieldProblems(record.error, labels, {}, own);
  const isTooMuch = !isChecked && isAmount && unitsOf(amount, 2) > unitsOf(payment.amount, 2);
  const done = () => {
    forgetSent(payment.id);
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    record.mutate(undefined, { onSuccess: done });
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <div className="grid gap-2" hidden={!back}>
        <TransactionFields transaction={transaction} address={address} sent={sent} />
      </div>
      {isChecked ? (
        <ReturnedAmount payment={payment} returned={returned} address={address} />
      ) : (
        <WordedAmount
          currency={payment.currency}
          isWarned={back !== undefined}
          typed={typed}
          error={isTooMuch ? t('At most {amount}', { amount: payment.amount }) : errorOf('amount')}
          onChange={setTyped}
        />
      )}
      <ReasonField reason={reason} error={errorOf('reason')} onChange={(next) => note({ reason: next })} />
      <Problem error={otherError} />
      <Buttons
        back={back}
        busy={record.isPending}
        disabled={isTooMuch || (transaction.isOpen && !transaction.isAllTheSame)}
      />
    </form>
  );
}

function Buttons({ back, busy, disabled }: { back: (() => void) | undefined; busy: boolean; disabled: boolean }) {
  const t = useT();
  return (
    <div className="flex justify-between gap-2 border-t border-line pt-4">
      {back && (
        <Button kind="quiet" onClick={back}>
          {t('Back')}
        </Button>
      )}
      <Button kind="primary" type="submit" busy={busy} disabled={disabled}>
        {back ? t('Record the refund') : t('Record as resolved')}
      </Button>
    </div>
  );
}

/** What the merchant says that they returned. */
function WordedAmount({
  currency,
  isWarned,
  typed,
  error,
  onChange,
}: {
  currency: string;
  isWarned: boolean;
  typed: string;
  error: ReactNode;
  onChange: (amount: string) => void;
}) {
  const t = useT();
  return (
    <>
      {isWarned && (
        <Notice tone="warn">
          {t('Without a transaction on-chain, recording makes the payment refunded, whatever the amount.')}
        </Notice>
      )}
      <TextField
        label={t('Amount ({asset})', { asset: currency })}
        inputMode="decimal"
        required
        value={typed}
        error={error}
        onChange={(event) => onChange(event.target.value)}
      />
    </>
  );
}

/** What the chain will be asked to confirm. */
function ReturnedAmount({
  payment,
  returned,
  address,
}: {
  payment: PaymentJson;
  returned: string | null;
  address: string;
}) {
  const { t, locale } = useLanguage();
  return (
    <Facts
      facts={[
        [t('Amount'), assetAmount(locale, returned, payment.receive_asset)],
        [t('Sent to'), <Copyable key="to" text={address} shown={shorten(address)} />],
      ]}
    />
  );
}

interface RecordedRefund {
  amount: string;
  address: string;
  reason: string;
  /** Of a refund that the chain can confirm. */
  transfer?: { coinAmount: string; hash: string };
}

/** Whether the service verifies the transfer. Otherwise the merchant's word is recorded. Test mode has no chain. */
function isLookedUp(
  { livemode }: PaymentJson,
  refund: { address: string; returned: string | null; transaction: ReturnType<typeof useTransaction> },
): boolean {
  const { address, returned, transaction } = refund;
  if (address === '' || returned === null) return false;
  return !livemode || (transaction.hash.trim() !== '' && !transaction.isAllTheSame);
}

function useRecord(payment: PaymentJson, { amount, address, reason, transfer }: RecordedRefund) {
  const path = `/v1/payments/${payment.id}`;
  return useAct(async () => {
    if (transfer)
      await create<RefundJson>(`${path}/refunds`, {
        coin_amount: transfer.coinAmount,
        to: address,
        ...(reason && { reason }),
        tx_hash: transfer.hash || inventedHash(payment.receive_network),
      });
    else await post<PaymentJson>(`${path}/refund`, { amount, ...(address && { address }), ...(reason && { reason }) });
  }, CHANGED);
}

/** The transaction of the refund, and what the service found of it. */
function useTransaction(payment: PaymentJson, address: string, { sent, hash, note }: RefundNotes) {
  const [check, setCheck] = useState<RefundCheckJson | null>(null);
  const [isAllTheSame, setAllTheSame] = useState(false);
  const ask = () =>
    post<RefundCheckJson>(`/dashboard/api/payments/${payment.id}/check-refund`, { tx_hash: hash.trim(), address });
  const look = useAct(ask, []);
  useUntilFound(sent !== null && hash === sent && check?.verdict !== 'found', ask, setCheck);
  return {
    hash,
    change: (next: string) => {
      note({ hash: next });
      setCheck(null);
    },
    check,
    look: () => look.mutate(undefined, { onSuccess: setCheck }),
    isLooking: look.isPending,
    error: look.error,
    /** Real money whose transaction was not found yet. */
    isOpen: payment.livemode && hash.trim() !== '' && check?.verdict !== 'found',
    /** The merchant wants to record it without that. */
    isAllTheSame,
    setAllTheSame,
  };
}

function TransactionFields({
  transaction,
  address,
  sent,
}: {
  transaction: ReturnType<typeof useTransaction>;
  address: string;
  sent: string | null;
}) {
  const t = useT();
  const { hash, change, check, look, isLooking, error, isOpen, isAllTheSame, setAllTheSame } = transaction;
  const { errorOf, otherError } = fieldProblems(error, { tx_hash: t('Transaction (optional)') });
  return (
    <>
      <TextField
        label={t('Transaction (optional)')}
        hint={t('We’ll check the transaction on-chain before recording it.')}
        value={hash}
        error={errorOf('tx_hash')}
        spellCheck={false}
        className={MONO}
        onChange={(event) => change(event.target.value)}
      />
      {hash.trim() !== '' &&
        (address === '' ? (
          <Notice>{t('To check it on-chain, go back and enter the recipient’s address.')}</Notice>
        ) : (
          <div>
            <Button busy={isLooking} onClick={look}>
              {t('Check transaction')}
            </Button>
          </div>
        ))}
      <Problem error={otherError} />
      <div role="status" className="grid gap-2">
        {check ? (
          <Verdict check={check} />
        ) : (
          sent !== null &&
          hash === sent && <Notice>{t('Sent. Waiting for the transaction to appear on-chain…')}</Notice>
        )}
      </div>
      {isOpen && (
        <Tick checked={isAllTheSame} onChange={setAllTheSame}>
          {t('Record without on-chain confirmation')}
        </Tick>
      )}
    </>
  );
}

function ReasonField({
  reason,
  error,
  onChange,
}: {
  reason: string;
  error: ReactNode;
  onChange: (reason: string) => void;
}) {
  const t = useT();
  return (
    <Field
      label={t('Reason (optional)')}
      hint={t('{count} characters left', { count: REASON_LENGTH - reason.length })}
      error={error}
    >
      {(control) => (
        <textarea
          {...control}
          rows={2}
          maxLength={REASON_LENGTH}
          value={reason}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** Polls for the sent transaction until it is found, because a block takes time. */
function useUntilFound(
  isWanted: boolean,
  ask: () => Promise<RefundCheckJson>,
  onVerdict: (check: RefundCheckJson) => void,
): void {
  const asking = useRef(ask);
  asking.current = ask;
  useEffect(() => {
    if (!isWanted) return undefined;
    let isOver = false;
    const look = async () => {
      const check = await asking.current().catch(() => null);
      if (!isOver && check && check.verdict !== 'unknown') onVerdict(check);
    };
    void look();
    const timer = setInterval(() => void look(), LOOK_AGAIN_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [isWanted, onVerdict]);
}

function Verdict({ check }: { check: RefundCheckJson }) {
  const { t, locale } = useLanguage();
  switch (check.verdict) {
    case 'found':
      return (
        <Notice tone="good">
          {check.transfers.map((transfer, at) => (
            <p key={at} className="[overflow-wrap:anywhere]">
              {t('Found: {amount} to {to}', {
                amount: assetAmount(locale, transfer.amount, transfer.asset),
                to: transfer.to,
              })}
              {!transfer.from_payout_wallet && transfer.from
                ? ` (${t('from {address}, not your payout wallet', { address: transfer.from })})`
                : ''}
            </p>
          ))}
        </Notice>
      );
    case 'unconfirmed':
      return (
        <Notice tone="warn">
          {t('Only some providers show this transaction yet. Don’t send the refund again; check again in a minute.')}
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
