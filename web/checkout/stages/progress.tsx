import { networkName, secondsPerConfirmation } from '../../networks/networks.ts';
import { coinAmount } from '../money.ts';
import { type PageProps, type PublicPayment, type Stage, stageOf } from '../page-state.ts';
import { Transactions } from '../transactions.tsx';
import { duration, usualTime } from '../usual-time.ts';

/** The payment was detected: its progress, and what comes next. */
export function ProgressStage({ page, t }: PageProps) {
  const payment = page.session.payment;
  if (!payment) return null;
  const stage = stageOf(page);
  const usual = usualTime(page, t);
  return (
    <section aria-labelledby="progress-title">
      <h2 id="progress-title">
        {t(
          stage === 'converting'
            ? 'converting_title'
            : stage === 'delivering'
              ? 'delivering_title'
              : 'confirming_title',
        )}
      </h2>
      <p class="quiet">
        <bdi dir="ltr">
          {coinAmount(payment.amount_seen, page.locale)} {payment.asset}
        </bdi>{' '}
        {t('on_network', { network: networkName(payment.network) })}
        {payment.kind === 'routed' && usual && ` · ${usual}`}
      </p>
      <p class="live" role="status">
        <span class="pulse" aria-hidden="true" />
        {sentence(stage, payment, t)}
      </p>
      <ol class="steps" aria-label={t('progress_steps')}>
        {stepsOf(payment).map((step) => {
          const at = ORDER.indexOf(step) - ORDER.indexOf(STEP_OF[stage] ?? 'step_confirming');
          return (
            <li
              key={step}
              class={at < 0 ? 'done' : at === 0 ? 'now' : 'next'}
              aria-current={at === 0 ? 'step' : undefined}
            >
              <span class="step-mark" aria-hidden="true" />
              <span>
                {t(step)}
                {step === 'step_confirming' && at === 0 && <Confirmations payment={payment} t={t} />}
              </span>
            </li>
          );
        })}
      </ol>
      <p class="quiet">{t('may_close')}</p>
      <Transactions page={page} t={t} />
    </section>
  );
}

const ORDER = ['step_seen', 'step_confirming', 'step_converting', 'step_delivering', 'step_paid'] as const;
type Step = (typeof ORDER)[number];

const STEP_OF: Partial<Record<Stage, Step>> = {
  confirming: 'step_confirming',
  converting: 'step_converting',
  delivering: 'step_delivering',
};

function stepsOf({ kind }: PublicPayment): Step[] {
  return kind === 'routed' ? [...ORDER] : ['step_seen', 'step_confirming', 'step_paid'];
}

function sentence(stage: Stage, { asset }: PublicPayment, t: PageProps['t']): string {
  switch (stage) {
    case 'converting':
      return t('converting_text', { asset });
    case 'delivering':
      return t('delivering_text');
    default:
      return t('confirming_wait');
  }
}

function Confirmations({ payment, t }: { payment: PublicPayment; t: PageProps['t'] }) {
  const needed = payment.confirmations_needed ?? 0;
  if (needed < 2 || payment.kind === 'routed') return null;
  const have = Math.min(payment.confirmations ?? 0, needed);
  const seconds = Math.ceil((needed - have) * (secondsPerConfirmation(payment.network) ?? 0));
  const wait = seconds === 0 ? null : duration(seconds, t);
  const text = t('confirming_text', { have, count: needed });
  return (
    <span class="confirmations">
      <progress value={have} max={needed} aria-label={text} />
      <span class="quiet">{wait ? `${text} · ${wait}` : text}</span>
    </span>
  );
}
