import { useState } from 'react';
import { networkName } from '../../../networks/networks.ts';
import { assetAmount, money } from '../../lib/format.ts';
import { useLanguage, useT } from '../../lib/i18n.tsx';
import { useSent } from '../../lib/sent-by-wallets.ts';
import { create } from '../../lib/api.ts';
import { useAct } from '../../lib/state.tsx';
import { amountProblem } from '../../lib/typed-amount.ts';
import type { MoneyJson, PaymentJson, RefundJson, RefundPlanJson } from '../../lib/types.ts';
import { AddressWarnings } from '../../ui/address-warnings.tsx';
import { Badge, Button, Notice, Problem, ServiceMessage, Skeleton, TextField } from '../../ui/basic.tsx';
import { Tick } from '../../ui/choices.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { AskByLink, type Made, MadeLink } from './ask-by-link.tsx';
import { CHANGED, MONO, RecordRefund, useRefundNotes } from './record-refund.tsx';
import { type RefundDraft, type Share, useRefundDraft } from './refund-draft.ts';
import { decimalsOf } from './refund-share.ts';
import { SendBy } from './send-by.tsx';
import { NotCounted } from './trouble.tsx';

const STEPS = ['send', 'record'] as const;

type Step = (typeof STEPS)[number];

/** If nothing reached the merchant's wallet there is nothing to send: another party has the money, or no one has. */
export function ResolveDialog({ payment, onClose }: { payment: PaymentJson; onClose: () => void }) {
  const t = useT();
  const notes = useRefundNotes(null);
  return (
    <Dialog title={t('Record as resolved')} onClose={onClose} wide>
      <div className="grid gap-4">
        <Notice>
          {t(
            'Nothing has reached your wallet, so there is nothing to send back. Record the refund once the customer has their money.',
          )}
        </Notice>
        <RecordRefund payment={payment} address="" notes={notes} returned={null} onClose={onClose} />
      </div>
    </Dialog>
  );
}

/**
 * First the merchant returns the money from their own wallet, then the refund is recorded. Nothing here moves money by
 * itself.
 */
export function RefundDialog({
  payment,
  money: where,
  onClose,
}: {
  payment: PaymentJson;
  money: MoneyJson | undefined;
  onClose: () => void;
}) {
  const t = useT();
  const { isSending, sent: kept } = useSent(payment.id);
  const [isBusy, setBusy] = useState(false);
  const isHeld = isSending || isBusy;
  const [isAnother, setAnother] = useState(false);
  const [chosen, setChosen] = useState<Step | null>(null);
  const draft = useRefundDraft(payment);
  const { base } = draft;
  const sent = isAnother ? null : kept;
  const notes = useRefundNotes(sent?.hash ?? null);
  const step = chosen ?? (sent ? 'record' : 'send');
  const content = () => {
    if (step === 'record')
      return (
        <RecordRefund
          key={sent?.hash}
          payment={payment}
          address={sent?.to ?? draft.address}
          notes={notes}
          returned={sent?.amount ?? draft.units}
          back={() => setChosen('send')}
          onClose={onClose}
        />
      );
    if (sent) return <AlreadySent another={() => setAnother(true)} record={() => setChosen('record')} />;
    if (!base.data) return base.error ? <Problem error={base.error} /> : <Skeleton />;
    return (
      <SendStep
        payment={payment}
        plan={base.data}
        draft={draft}
        isSending={isHeld}
        onBusy={setBusy}
        onSent={() => {
          setAnother(false);
          setChosen(null);
        }}
        record={() => setChosen('record')}
        onClose={onClose}
      />
    );
  };
  return (
    <Dialog title={t('Refund')} onClose={onClose} wide isHeld={isHeld}>
      <Steps current={step} />
      <div className="grid gap-4">
        <NotCounted payment={payment} money={where} isHeld={isHeld} />
        {content()}
      </div>
    </Dialog>
  );
}

function SendStep({
  payment,
  plan,
  draft,
  isSending,
  onBusy,
  onSent,
  record,
  onClose,
}: {
  payment: PaymentJson;
  plan: RefundPlanJson;
  draft: RefundDraft;
  isSending: boolean;
  onBusy: (isBusy: boolean) => void;
  onSent: () => void;
  record: () => void;
  onClose: () => void;
}) {
  const { t, locale } = useLanguage();
  const [isAsking, setAsking] = useState(false);
  const [made, setMade] = useState<Made | null>(null);
  // Alone: what is left to return has changed, and the link is shown only once.
  if (made) return <MadeLink {...made} />;
  return (
    <div className="grid gap-4">
      <p className="text-sm text-quiet">
        {t('The funds are in your wallet, so the refund must come from you. Blockchain transfers can’t be reversed.')}
      </p>
      <fieldset disabled={isSending} className="grid gap-4">
        <Tick checked={isAsking} onChange={setAsking}>
          {t('Ask the customer for the address, by a link')}
        </Tick>
        {!isAsking && <AddressFields plan={plan} draft={draft} />}
        {plan.begun !== null && (
          <Notice>
            {t('{amount} is already planned to be refunded, or on its way.', {
              amount: money(locale, plan.begun, payment.currency),
            })}
          </Notice>
        )}
        <ShareField payment={payment} plan={plan} draft={draft} />
        <AmountField plan={plan} draft={draft} />
      </fieldset>
      {isAsking ? (
        <AskByLink payment={payment} amount={draft.units} onBusy={onBusy} onMade={setMade} />
      ) : (
        <SendNow {...{ payment, draft, isSending, onSent, record, onClose }} />
      )}
    </div>
  );
}

function SendNow({
  payment,
  draft,
  isSending,
  onSent,
  record,
  onClose,
}: Omit<Parameters<typeof SendStep>[0], 'plan' | 'onBusy'>) {
  const t = useT();
  const { current, address, units, plan } = draft;
  const isRight = units !== null && current?.objection === null;
  // By the merchant's word also without an address, and where refunds that were only planned hold all that is left.
  const isSayable =
    (units !== null || draft.isSuggested) &&
    (address === '' || plan.isLoadingError || (current !== undefined && current.objection === null));
  const { isHandedOver } = useSent(payment.id);
  const later = useAct(
    () => create<RefundJson>(`/v1/payments/${payment.id}/refunds`, { coin_amount: units, to: address }),
    CHANGED,
  );
  return (
    <>
      <Send payment={payment} draft={draft} onSent={onSent} />
      <Problem error={plan.isLoadingError && plan.error} retry={() => void plan.refetch()} />
      <Problem error={later.error} />
      <div className="flex flex-wrap justify-end gap-2 border-t border-line pt-4">
        <Button
          kind="quiet"
          busy={later.isPending}
          disabled={isSending || isHandedOver || !isRight}
          onClick={() => later.mutate(undefined, { onSuccess: onClose })}
        >
          {t('Send later with others')}
        </Button>
        <Button disabled={isSending || !isSayable} onClick={record}>
          {t('I’ve sent it')}
        </Button>
      </div>
    </>
  );
}

/** In place of the form, so that a second refund is a decision. */
function AlreadySent({ another, record }: { another: () => void; record: () => void }) {
  const t = useT();
  return (
    <div className="grid gap-4">
      <Notice tone="warn">
        {t('A refund of this payment was already sent from this browser. Send another only if that one failed.')}
      </Notice>
      <div className="flex justify-between gap-2 border-t border-line pt-4">
        <Button kind="quiet" onClick={another}>
          {t('Send another refund')}
        </Button>
        <Button kind="primary" onClick={record}>
          {t('Record the refund')}
        </Button>
      </div>
    </div>
  );
}

function Steps({ current }: { current: Step }) {
  const t = useT();
  return (
    <ol className="mb-5 flex flex-wrap gap-x-5 gap-y-2 text-sm" aria-label={t('Steps')}>
      {STEPS.map((step, at) => (
        <li
          key={step}
          aria-current={step === current ? 'step' : undefined}
          className="flex items-center gap-2 text-quiet aria-[current=step]:font-semibold aria-[current=step]:text-ink"
        >
          <span className="grid size-6 place-items-center rounded-full bg-raised text-xs">{at + 1}</span>
          {step === 'send' ? t('Send a refund') : t('Record the refund')}
        </li>
      ))}
    </ol>
  );
}

/** The address with the service's suggestions and warnings. */
function AddressFields({ plan, draft }: { plan: RefundPlanJson; draft: RefundDraft }) {
  const t = useT();
  const { typed, current, problem, setTo, setAmount } = draft;
  return (
    <>
      <TextField
        label={t('To ({network})', { network: networkName(plan.network) })}
        value={typed.to}
        spellCheck={false}
        className={MONO}
        onChange={(event) => setTo(event.target.value)}
        error={
          problem ??
          (current?.objection && <ServiceMessage code="invalid_payout_wallet">{current.objection}</ServiceMessage>)
        }
      />
      <RefundSuggestions
        plan={plan}
        onChoose={(chosen) => {
          setTo(chosen);
          setAmount(null);
        }}
      />
      {plan.suggestions.some(({ kind }) => kind === 'sender') && (
        <Notice tone="warn">
          {t(
            'Payments from an exchange come from the exchange’s own address. Ask the customer before you send a refund there.',
          )}
        </Notice>
      )}
      {current && <AddressWarnings warnings={current.warnings} />}
    </>
  );
}

/** What the refund is for. An amount that is typed is a part. */
function ShareField({ payment, plan, draft }: { payment: PaymentJson; plan: RefundPlanJson; draft: RefundDraft }) {
  const { t, locale } = useLanguage();
  const names: [Share, string][] = [
    ...(plan.surplus === null
      ? []
      : [
          ['surplus', t('Surplus {amount}', { amount: money(locale, payment.surplus, payment.currency) })] as [
            Share,
            string,
          ],
        ]),
    ['part', t('A part')],
    ['everything', t('Everything')],
  ];
  return (
    <fieldset className="flex flex-wrap gap-x-5 gap-y-2 text-sm">
      <legend className="sr-only">{t('What to refund')}</legend>
      {names.map(([share, name]) => (
        <label key={share} className="flex items-center gap-2">
          <input
            type="radio"
            name="share"
            className="size-4 accent-accent"
            checked={draft.share === share}
            onChange={() => draft.choose(share)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

function AmountField({ plan, draft }: { plan: RefundPlanJson; draft: RefundDraft }) {
  const language = useLanguage();
  const { t, locale } = language;
  return (
    <TextField
      label={t('Amount ({asset})', { asset: plan.asset })}
      inputMode="decimal"
      value={draft.typed.amount}
      onChange={(event) => draft.setAmount(event.target.value)}
      error={
        draft.isAmountRefused &&
        (draft.isTooMuch
          ? t('At most {amount}', { amount: assetAmount(locale, plan.left, plan.asset) })
          : amountProblem(draft.typed.amount, language, decimalsOf(plan.left)))
      }
      hint={
        plan.left === plan.amount
          ? t('{amount} received.', { amount: assetAmount(locale, plan.amount, plan.asset) })
          : t('{left} left of {amount} received.', {
              left: assetAmount(locale, plan.left, plan.asset),
              amount: assetAmount(locale, plan.amount, plan.asset),
            })
      }
    />
  );
}

/** Nothing, before the service accepts the address and the amount. */
function Send({
  payment,
  draft: { current, address, units },
  onSent,
}: {
  payment: PaymentJson;
  draft: RefundDraft;
  onSent: () => void;
}) {
  const t = useT();
  if (!current || current.objection !== null || units === null) return null;
  // Few coins have a test coin that a wallet could send, so a test's plan has mostly no URI.
  if (!payment.livemode)
    return <Notice>{t('Test mode: there is nothing to send. Continue and record the refund.')}</Notice>;
  if (current.uri === null) return null;
  return (
    <SendBy
      key={`${address} ${units}`}
      uri={current.uri}
      transfer={{ to: address, amount: units }}
      payment={payment}
      onSent={onSent}
    />
  );
}

/** Addresses are shown in full: a shortened one can be imitated. */
function RefundSuggestions({ plan, onChoose }: { plan: RefundPlanJson; onChoose: (address: string) => void }) {
  const { t, locale } = useLanguage();
  return (
    <ul className="grid gap-2">
      {plan.suggestions.map((one) => (
        <li key={one.address}>
          <button
            type="button"
            onClick={() => onChoose(one.address)}
            className="grid w-full gap-1 rounded-lg border border-line px-3 py-2 text-start text-sm hover:bg-raised"
          >
            <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span>{one.kind === 'given' ? t('Provided by the customer') : t('Sender’s address')}</span>
              {one.kind === 'sender' && one.amount !== null && (
                <span className="text-quiet">
                  {t('Sent {amount}', { amount: assetAmount(locale, one.amount, plan.asset) })}
                </span>
              )}
              {one.is_small && <Badge tone="warn">{t('Less than 5% of the payment')}</Badge>}
              {one.resembles !== null && <Badge tone="bad">{t('Looks like another address')}</Badge>}
            </span>
            <bdi className="font-mono text-xs [overflow-wrap:anywhere]">{one.address}</bdi>
          </button>
        </li>
      ))}
    </ul>
  );
}
