import type { FormEvent } from 'react';
import { ApiError, patch } from '../../lib/api.ts';
import { useT } from '../../lib/i18n.tsx';
import { useAct } from '../../lib/state.tsx';
import type { AccountJson } from '../../lib/types.ts';
import { Card, Problem, TextField } from '../../ui/basic.tsx';
import { CheckBox } from './check-box.tsx';
import { useDraft } from './drafts.tsx';
import { FieldProblem } from './field-problem.tsx';

export function PaymentRules({ account }: { account: AccountJson }) {
  const t = useT();
  const host = account.paymaster_host;
  const initial = {
    tolerance: account.tolerance_bps === null ? '' : String(account.tolerance_bps / 100),
    byLoginOnly: account.wallets_by_login_only,
    // The URL holds a key, so the service shows only its host.
    paymaster: '',
    removesPaymaster: false,
  };
  const save = useAct(
    ({ tolerance, byLoginOnly, paymaster, removesPaymaster }: typeof initial) =>
      patch<AccountJson>('/v1/account', {
        tolerance_bps: tolerance.trim() === '' ? null : Math.round(Number(tolerance) * 100),
        wallets_by_login_only: byLoginOnly,
        ...(removesPaymaster ? { paymaster_url: null } : paymaster.trim() && { paymaster_url: paymaster.trim() }),
      }),
    ['account'],
  );
  const draft = useDraft(initial, save.isPending);
  const form = draft.value;
  const problem = save.error instanceof ApiError && save.error.param === 'paymaster_url' ? save.error : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(form, { onSuccess: draft.done });
  };
  return (
    <Card title={t('Payment rules')}>
      <form ref={draft.form} onSubmit={submit} className="grid gap-5">
        <div className="w-full max-w-md">
          <TextField
            label={t('Underpayment tolerance (%)')}
            type="number"
            min="0"
            max="5"
            step="0.01"
            value={form.tolerance}
            onChange={(event) => draft.edit({ tolerance: event.target.value })}
            placeholder="0.5"
            hint={t('Default: 0.5%, capped at 1.00 in the order currency.')}
          />
        </div>
        <CheckBox
          label={t('Only allow payout wallets to be added from the dashboard')}
          hint={t('Prevents a leaked API key from redirecting funds.')}
          checked={form.byLoginOnly}
          onChange={(byLoginOnly) => draft.edit({ byLoginOnly })}
        />
        <div className="grid w-full max-w-md gap-3">
          <TextField
            label={t('Paymaster (https URL)')}
            // Not `url`: the service has the one message for what is wrong with it.
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            dir="ltr"
            value={form.paymaster}
            disabled={form.removesPaymaster}
            error={problem && <FieldProblem problem={problem} label={t('Paymaster (https URL)')} />}
            onChange={(event) => draft.edit({ paymaster: event.target.value })}
            placeholder={host ? `https://${host}/…` : 'https://'}
            hint={
              host
                ? t('{host} pays the network fee of customers whose wallets batch calls. Enter a URL to replace it.', {
                    host,
                  })
                : t('Pays the network fee of customers whose wallets batch calls (ERC-7677).')
            }
          />
          {host && (
            <CheckBox
              label={t('Remove the paymaster')}
              checked={form.removesPaymaster}
              onChange={(removesPaymaster) => draft.edit({ removesPaymaster })}
            />
          )}
        </div>
        {!problem && <Problem error={save.error} />}
      </form>
    </Card>
  );
}
