import type { FormEvent } from 'react';
import { patch } from '../../lib/api.ts';
import { plain } from '../../lib/format.ts';
import { useT } from '../../lib/i18n.tsx';
import { useAct } from '../../lib/state.tsx';
import type { AccountJson } from '../../lib/types.ts';
import { Card, Problem } from '../../ui/basic.tsx';
import { CheckBox } from '../../ui/choices.tsx';
import { useDraft } from './drafts.tsx';

/** What the merchant and their customers get mails about. */
export function Mails({ account }: { account: AccountJson }) {
  const t = useT();
  const initial = { ...account.email_notifications, receipts: account.email_receipts };
  const save = useAct(
    ({ receipts, ...notifications }: typeof initial) =>
      patch<AccountJson>('/v1/account', {
        email_receipts: receipts,
        // An account without an address can ask for none.
        ...(account.email !== null && { email_notifications: notifications }),
      }),
    ['account'],
  );
  const draft = useDraft(initial, save.isPending);
  const form = draft.value;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(form, { onSuccess: draft.done });
  };
  return (
    <Card title={t('Mails')}>
      <form ref={draft.form} onSubmit={submit} className="grid gap-5">
        <fieldset className="grid gap-3" disabled={account.email === null}>
          <legend className="mb-3 text-sm text-quiet">
            {account.email === null
              ? t('You sign in with a wallet, so there is no address for mails to you. Use a webhook instead.')
              : t('To {email}. At most 20 a day, then one summary an hour.', { email: plain(account.email) })}
          </legend>
          <CheckBox label={t('A payment is paid')} checked={form.paid} onChange={(paid) => draft.edit({ paid })} />
          <CheckBox
            label={t('A payment needs a decision')}
            hint={t('Also when a customer has entered the address of their refund.')}
            checked={form.needs_decision}
            onChange={(needs_decision) => draft.edit({ needs_decision })}
          />
          <CheckBox
            label={t('A transfer belongs to no payment')}
            checked={form.unattributed}
            onChange={(unattributed) => draft.edit({ unattributed })}
          />
        </fieldset>
        <CheckBox
          label={t('Send customers a receipt')}
          hint={t(
            'To the customer’s email address, once the payment is paid. In live mode only for payments to a verified payout wallet, in test mode only to your own address.',
          )}
          checked={form.receipts}
          onChange={(receipts) => draft.edit({ receipts })}
        />
        <Problem error={save.error} />
      </form>
    </Card>
  );
}
