import { readAmount, typedIn } from '@quittance/contract/typed-amount';
import { type FormEvent, useState } from 'react';
import { patch } from '../../lib/api.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { useAct } from '../../lib/state.tsx';
import { percentProblem } from '../../lib/typed-amount.ts';
import type { AccountJson } from '../../lib/types.ts';
import { Card, Problem, TextField } from '../../ui/basic.tsx';
import { CheckBox } from '../../ui/choices.tsx';
import { fieldProblems } from '../../ui/field-problems.tsx';
import { useDraft } from './drafts.tsx';

const MAX_TOLERANCE_PERCENT = 5;

export function PaymentRules({ account }: { account: AccountJson }) {
  const language = useLanguage();
  const { t, locale } = language;
  const initial = {
    tolerance: account.tolerance_bps === null ? '' : typedIn(locale, String(account.tolerance_bps / 100)),
    byLoginOnly: account.wallets_by_login_only,
    confirmsWallets: account.confirm_key_wallets,
  };
  const save = useAct(
    ({ tolerance, byLoginOnly, confirmsWallets }: typeof initial) =>
      patch<AccountJson>('/v1/account', {
        tolerance_bps: tolerance.trim() === '' ? null : Math.round(Number(readAmount(tolerance)) * 100),
        wallets_by_login_only: byLoginOnly,
        confirm_key_wallets: confirmsWallets,
      }),
    ['account', 'onboarding'],
  );
  const draft = useDraft(initial, save.isPending);
  const form = draft.value;
  const wrong = form.tolerance.trim() !== '' && percentProblem(form.tolerance, MAX_TOLERANCE_PERCENT, language);
  // What is still being typed is not refused.
  const [refused, setRefused] = useState<string | null>(null);
  const { errorOf, otherError } = fieldProblems(save.error, {
    tolerance_bps: t('Underpayment tolerance (%)'),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wrong) setRefused(form.tolerance);
    else save.mutate(form, { onSuccess: draft.done });
  };
  return (
    <Card title={t('Payment rules')}>
      <form ref={draft.form} onSubmit={submit} className="grid gap-5">
        <div className="w-full max-w-md">
          <TextField
            label={t('Underpayment tolerance (%)')}
            inputMode="decimal"
            value={form.tolerance}
            onChange={(event) => draft.edit({ tolerance: event.target.value })}
            placeholder={typedIn(locale, '0.5')}
            error={refused === form.tolerance ? wrong : errorOf('tolerance_bps')}
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
