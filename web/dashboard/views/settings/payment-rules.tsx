import type { FormEvent } from 'react';
import { patch } from '../../lib/api.ts';
import { useT } from '../../lib/i18n.tsx';
import { useAct } from '../../lib/state.tsx';
import type { AccountJson } from '../../lib/types.ts';
import { Card, Problem, TextField } from '../../ui/basic.tsx';
import { CheckBox } from '../../ui/choices.tsx';
import { fieldProblems } from '../../ui/field-problems.tsx';
import { useDraft } from './drafts.tsx';

const MAX_TOLERANCE_PERCENT = 5;

export function PaymentRules({ account }: { account: AccountJson }) {
  const t = useT();
  const initial = {
    tolerance: account.tolerance_bps === null ? '' : String(account.tolerance_bps / 100),
    byLoginOnly: account.wallets_by_login_only,
    confirmsWallets: account.confirm_key_wallets,
  };
  const save = useAct(
    ({ tolerance, byLoginOnly, confirmsWallets }: typeof initial) =>
      patch<AccountJson>('/v1/account', {
        tolerance_bps: tolerance.trim() === '' ? null : Math.round(Number(tolerance) * 100),
        wallets_by_login_only: byLoginOnly,
        confirm_key_wallets: confirmsWallets,
      }),
    ['account', 'onboarding'],
  );
  const draft = useDraft(initial, save.isPending);
  const form = draft.value;
  const isTooTolerant = Number(form.tolerance) > MAX_TOLERANCE_PERCENT;
  const { errorOf, otherError } = fieldProblems(save.error, {
    tolerance_bps: t('Underpayment tolerance (%)'),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isTooTolerant) save.mutate(form, { onSuccess: draft.done });
  };
  return (
    <Card title={t('Payment rules')}>
      <form ref={draft.form} onSubmit={submit} className="grid gap-5">
        <div className="w-full max-w-md">
          <TextField
            label={t('Underpayment tolerance (%)')}
            type="number"
            min="0"
            step="0.01"
            value={form.tolerance}
            onChange={(event) => draft.edit({ tolerance: event.target.value })}
            placeholder="0.5"
            error={
              isTooTolerant ? t('At most {amount}', { amount: `${MAX_TOLERANCE_PERCENT}%` }) : errorOf('tolerance_bps')
            }
            hint={t('Default: 0.5%, capped at 1.00 in the order currency.')}
          />
        </div>
        <CheckBox
          label={t('Only allow payout wallets to be added from the dashboard')}
          hint={t('Prevents a leaked API key from redirecting funds.')}
          checked={form.byLoginOnly}
          onChange={(byLoginOnly) => draft.edit({ byLoginOnly })}
        />
        <CheckBox
          label={t('Payout wallets that a live key adds wait for me to confirm them')}
          hint={t('We mail you, and no payment settles to the wallet before you confirm it.')}
          checked={form.confirmsWallets}
          onChange={(confirmsWallets) => draft.edit({ confirmsWallets })}
        />
        <Problem error={otherError} />
      </form>
    </Card>
  );
}
