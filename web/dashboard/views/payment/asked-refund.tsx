import { useEffect, useState } from 'react';
import { networkName } from '../../../networks/networks.ts';
import { post } from '../../lib/api.ts';
import { assetAmount, exactInstant } from '../../lib/format.ts';
import { useLanguage, useT } from '../../lib/i18n.tsx';
import { inventedHash } from '../../lib/made-up.ts';
import { forgetSent, useSent } from '../../lib/sent-by-wallets.ts';
import { useAct, useRead } from '../../lib/state.tsx';
import type { PaymentJson, RefundJson, RefundPlanJson } from '../../lib/types.ts';
import { AddressWarnings } from '../../ui/address-warnings.tsx';
import { Button, Copyable, Facts, Notice, Problem, Skeleton, TextField } from '../../ui/basic.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { fieldProblems } from '../../ui/field-problems.tsx';
import { CHANGED, MONO } from './record-refund.tsx';
import { SendBy } from './send-by.tsx';

/** What became of the question where the refund goes. */
export function LinkState({ refund, link }: { refund: RefundJson; link: NonNullable<RefundJson['link']> }) {
  const { t, locale } = useLanguage();
  if (refund.status === 'requested' && link.status === 'open')
    return (
      <p className="text-sm text-quiet">
        {link.mailed_to === null
          ? t('The customer has the link until {time}.', { time: exactInstant(locale, link.expires_at) })
          : t('Mailed to {email}, valid until {time}.', {
              email: link.mailed_to,
              time: exactInstant(locale, link.expires_at),
            })}
      </p>
    );
  if (link.status === 'closed') return <p className="text-sm text-quiet">{t('The customer named no address.')}</p>;
  return (
    <p className="text-sm text-quiet">
      {link.proved
        ? t('The wallet that paid signed for this address.')
        : t('The customer entered this address by the link.')}
    </p>
  );
}

/** Whether the dialog of a refund is open: the page opens it too. */
export interface Opening {
  isOpened: boolean;
  open: (isOpen: boolean) => void;
}

/** The button of what the refund waits for, if that is the merchant. */
export function NextStep({
  payment,
  refund,
  reporting,
  isOpened,
  open,
}: {
  payment: PaymentJson;
  refund: RefundJson;
  reporting: Reporting;
} & Opening) {
  const t = useT();
  const { isSending } = useSent(refund.id);
  const close = () => open(false);
  const address = refund.link?.address ?? null;
  if (refund.status === 'requested' && address !== null)
    return (
      <>
        <Button kind="primary" onClick={() => open(true)}>
          {t('Check the address')}
        </Button>
        {isOpened && <ConfirmAddress payment={payment} refund={refund} address={address} onClose={close} />}
      </>
    );
  if (refund.status !== 'planned' || refund.to === null) return null;
  return (
    <>
      <Button kind="primary" onClick={() => open(true)}>
        {t('Send this refund')}
      </Button>
      {isOpened && (
        <Dialog title={t('Send this refund')} onClose={close} wide isHeld={isSending}>
          <SendPlanned payment={payment} refund={refund} to={refund.to} reporting={reporting} />
        </Dialog>
      )}
    </>
  );
}

/**
 * First the address, then the address with the amount: what is sent to a wrong one is lost. The confirmed refund is shown
 * to be sent in its place.
 */
function ConfirmAddress({
  payment,
  refund,
  address,
  onClose,
}: {
  payment: PaymentJson;
  refund: RefundJson;
  address: string;
  onClose: () => void;
}) {
  const { t, locale } = useLanguage();
  const [isRight, setRight] = useState(false);
  const amount = assetAmount(locale, refund.coin_amount, refund.asset);
  const plan = useRead<RefundPlanJson>('refund-plan', `/dashboard/api/payments/${payment.id}/refund-plan`, {
    to: address,
  });
  const confirm = useAct(
    () =>
      post<RefundJson>(`/dashboard/api/refunds/${refund.id}/confirm`, { to: address, coin_amount: refund.coin_amount }),
    CHANGED,
  );
  return (
    <Dialog title={isRight ? t('Confirm the refund') : t('Check the address')} onClose={onClose} wide>
      <div className="grid gap-4">
        <p className="text-sm">
          {isRight
            ? t('Is this the amount, and the address that it goes to? The address can’t be changed after this.')
            : t(
                'The customer entered this address. Compare it with what they tell you elsewhere, such as on the phone.',
              )}
        </p>
        <bdi className="rounded-lg bg-raised p-3 font-mono text-sm [overflow-wrap:anywhere]" dir="ltr">
          {address}
        </bdi>
        {isRight ? (
          <Facts facts={[[t('Amount'), `${amount} · ${networkName(refund.network)}`]]} />
        ) : plan.data ? (
          <AddressWarnings warnings={plan.data.warnings} />
        ) : (
          <Problem error={plan.error} retry={() => void plan.refetch()} />
        )}
        <Problem error={confirm.error} />
        <div className="flex justify-between gap-2 border-t border-line pt-4">
          <Button kind="quiet" onClick={isRight ? () => setRight(false) : onClose}>
            {isRight ? t('Back') : t('Not yet')}
          </Button>
          {isRight ? (
            <Button kind="primary" busy={confirm.isPending} onClick={() => confirm.mutate(undefined)}>
              {t('Confirm {amount} to this address', { amount })}
            </Button>
          ) : (
            // Its warnings are shown nowhere else.
            <Button kind="primary" disabled={!plan.data} onClick={() => setRight(true)}>
              {t('The address is right')}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

/** Lets a wallet send a planned refund, and names its transaction. */
function SendPlanned({
  payment,
  refund,
  to,
  reporting: { hash, report, name },
}: {
  payment: PaymentJson;
  refund: RefundJson;
  to: string;
  reporting: Reporting;
}) {
  const { t, locale } = useLanguage();
  const [typed, setTyped] = useState('');
  const plan = useRead<RefundPlanJson>('refund-plan', `/dashboard/api/payments/${payment.id}/refund-plan`, {
    refund: refund.id,
  });
  const { errorOf, otherError } = fieldProblems(report.error, { tx_hash: t('Transaction') });
  if (!plan.data) return plan.error ? <Problem error={plan.error} /> : <Skeleton />;
  return (
    <div className="grid gap-4">
      <Facts
        facts={[
          [t('Amount'), `${assetAmount(locale, refund.coin_amount, refund.asset)} · ${networkName(refund.network)}`],
          [t('To ({network})', { network: networkName(refund.network) }), <Copyable key="to" text={to} />],
        ]}
      />
      {/* The address of a link was confirmed. A key may have named any other. */}
      {!refund.link && <AddressWarnings warnings={plan.data.warnings} />}
      {!payment.livemode ? (
        <Notice>{t('Test mode: there is nothing to send. Continue and record the refund.')}</Notice>
      ) : plan.data.objection !== null ? (
        <Notice tone="warn">{plan.data.objection}</Notice>
      ) : (
        plan.data.uri !== null &&
        !hash && (
          <SendBy
            uri={plan.data.uri}
            transfer={{ to, amount: refund.coin_amount }}
            payment={payment}
            refund={refund.id}
          />
        )
      )}
      {payment.livemode && (
        <TextField
          label={t('Transaction')}
          value={typed || (hash ?? '')}
          error={errorOf('tx_hash')}
          spellCheck={false}
          className={MONO}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <Problem error={otherError} />
      <div className="flex justify-end border-t border-line pt-4">
        <Button
          kind="primary"
          busy={report.isPending}
          disabled={payment.livemode && typed.trim() === '' && !hash}
          onClick={() => name(typed.trim() || hash || inventedHash(payment.receive_network))}
        >
          {t('I’ve sent it')}
        </Button>
      </div>
    </div>
  );
}

export type Reporting = ReturnType<typeof useReport>;

/** Names the transaction of a refund, and the one that a wallet of this browser sent by itself. */
export function useReport(id: string) {
  const { sent } = useSent(id);
  const report = useAct(async (hash: string) => {
    const reported = await post<RefundJson>(`/v1/refunds/${id}/sent`, { tx_hash: hash });
    forgetSent(id);
    return reported;
  }, CHANGED);
  const name = (hash: string) => report.mutate(hash);
  // What a wallet of this browser sent is named at once, also if the dialog was closed meanwhile.
  const hash = sent?.hash;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per transaction
  useEffect(() => {
    if (hash !== undefined) name(hash);
  }, [hash]);
  return { hash, report, name };
}
