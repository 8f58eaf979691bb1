import { toCents } from '@quittance/contract/cents';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { networkName } from '../../../networks/networks.ts';
import { post } from '../../lib/api.ts';
import { assetAmount, money, shorten } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { saleOf } from '../../lib/sale.ts';
import { useAct, useRead } from '../../lib/state.tsx';
import type { PaymentJson, TransferJson } from '../../lib/types.ts';
import { Button, Copyable, Facts, Notice, Problem, TextField } from '../../ui/basic.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { begunOf } from '../payment/refund-share.ts';
import { useRefunds } from '../payment/refunds.tsx';

const CHANGED = ['transfers', 'attention', 'money'];

/**
 * For a transfer that belongs to no payment, so no refund can be verified: says what to send where, and keeps the
 * merchant's word in the note of the handled transfer.
 */
export function SendBackDialog({ transfer, onClose }: { transfer: TransferJson; onClose: () => void }) {
  const { t, locale } = useLanguage();
  const [hash, setHash] = useState('');
  const handle = useAct(
    () =>
      post<TransferJson>(`/v1/transfers/${transfer.id}/handle`, {
        note: t('Sent back: {transaction}', { transaction: hash.trim() }),
      }),
    CHANGED,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    handle.mutate(undefined, { onSuccess: onClose });
  };
  return (
    <Dialog title={t('Send back')} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <p className="text-sm text-quiet">
          {t(
            'No payment has this transfer. Send it from your own wallet, and look there first whether it has arrived.',
          )}
        </p>
        <Facts
          facts={[
            [
              t('Amount'),
              <Copyable
                key="amount"
                text={transfer.amount}
                shown={`${assetAmount(locale, transfer.amount, transfer.asset)} · ${networkName(transfer.network)}`}
              />,
            ],
            [
              t('Sender’s address'),
              transfer.from ? <Copyable key="from" text={transfer.from} /> : t('The network names no sender.'),
            ],
            [t('Received by'), <Copyable key="to" text={transfer.to} shown={shorten(transfer.to)} />],
          ]}
        />
        {transfer.payment && <AlreadyReturned payment={transfer.payment} />}
        <Notice tone="warn">
          {t(
            'Payments from an exchange come from the exchange’s own address. Ask the customer before you send a refund there.',
          )}
        </Notice>
        <TextField
          label={t('Transaction')}
          hint={t('It is kept with the transfer, which is marked as handled. We don’t check it on-chain.')}
          value={hash}
          required
          maxLength={200}
          spellCheck={false}
          className="block w-full rounded-lg border border-line bg-surface px-3 py-2 font-mono text-sm"
          onChange={(event) => setHash(event.target.value)}
        />
        <Problem error={handle.error} />
        <div className="flex justify-end">
          <Button kind="primary" type="submit" busy={handle.isPending} disabled={hash.trim() === ''}>
            {t('I’ve sent it')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What the payment that the transfer was meant for has given back, or is to give back: the customer may have their money. */
function AlreadyReturned({ payment: id }: { payment: string }) {
  const { t, locale } = useLanguage();
  const payment = useRead<PaymentJson>('payment', `/v1/payments/${id}`).data;
  const begun = begunOf(useRefunds(id).data ?? []);
  if (!payment || (toCents(payment.refunded_amount) === 0n && begun === null)) return null;
  const figure = (amount: string) => money(locale, amount, payment.currency);
  return (
    <Notice tone="warn">
      <Link to="/payments/$id" params={{ id }} className="font-semibold underline">
        <bdi>{saleOf(payment)}</bdi>
      </Link>
      {toCents(payment.refunded_amount) > 0n && (
        <p>{t('{amount} refunded', { amount: figure(payment.refunded_amount) })}</p>
      )}
      {begun !== null && (
        <p>{t('{amount} is already planned to be refunded, or on its way.', { amount: figure(begun) })}</p>
      )}
      <p>{t('Make sure that the customer doesn’t get the same money twice.')}</p>
    </Notice>
  );
}
