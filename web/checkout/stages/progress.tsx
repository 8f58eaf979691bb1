import type { StageProps } from '../page.tsx';
import { stageOf } from '../page-state.ts';
import { Transactions } from '../transactions.tsx';

/** The payment is in sight: how far it is. */
export function ProgressStage({ page, t }: StageProps) {
  const payment = page.session.payment;
  if (!payment) return null;
  const stage = stageOf(page);
  const needed = payment.confirmations_needed ?? 0;
  const have = Math.min(payment.confirmations ?? 0, needed);
  return (
    <section aria-labelledby="progress-title">
      <h2 id="progress-title">{t(stage === 'confirming' ? 'confirming_title' : stage === 'converting' ? 'converting_title' : 'delivering_title')}</h2>
      <p class="live" role="status" aria-live="polite">
        <span class="pulse" aria-hidden="true" />
        {stage === 'confirming'
          ? needed > 0 ? t('confirming_text', { have, count: needed }) : t('waiting')
          : t(stage === 'converting' ? 'converting_text' : 'delivering_text', { asset: payment.asset })}
      </p>
      {stage === 'confirming' && needed > 0 && <progress value={have} max={needed}>{have}/{needed}</progress>}
      <p class="quiet">{t('confirming_hint')}</p>
      <Transactions payment={payment} t={t} />
    </section>
  );
}
