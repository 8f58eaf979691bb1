import type { FormEvent, ReactNode } from 'react';
import { patch } from '../../lib/api.ts';
import { useT } from '../../lib/i18n.tsx';
import { useAct } from '../../lib/state.tsx';
import type { AccountJson } from '../../lib/types.ts';
import { Card, Field, Problem, TextField } from '../../ui/basic.tsx';
import { CheckBox } from '../../ui/choices.tsx';
import { fieldProblems } from '../../ui/field-problems.tsx';
import { useDraft } from './drafts.tsx';

/** What only the one who builds the shop's pages needs. */
export function Developers({ account }: { account: AccountJson }) {
  const t = useT();
  const initial = {
    frames: account.frame_parents.join('\n'),
    // The URL holds a key, so the service shows only its host.
    paymaster: '',
    removesPaymaster: false,
  };
  const save = useAct(
    ({ frames, paymaster, removesPaymaster }: typeof initial) =>
      patch<AccountJson>('/v1/account', {
        frame_parents: frames.split(/\s+/).filter(Boolean),
        ...(removesPaymaster ? { paymaster_url: null } : paymaster.trim() && { paymaster_url: paymaster.trim() }),
      }),
    ['account'],
  );
  const draft = useDraft(initial, save.isPending);
  const { errorOf, otherError } = fieldProblems(save.error, {
    frame_parents: t('Allowed embed origins'),
    paymaster_url: t('Paymaster (https URL)'),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(draft.value, { onSuccess: draft.done });
  };
  return (
    <Card title={t('For developers')}>
      <form ref={draft.form} onSubmit={submit} className="grid gap-5">
        <Field
          label={t('Allowed embed origins')}
          hint={t('One origin per line, such as https://shop.example.com.')}
          error={errorOf('frame_parents')}
        >
          {(control) => (
            <textarea
              {...control}
              rows={2}
              spellCheck={false}
              value={draft.value.frames}
              onChange={(event) => draft.edit({ frames: event.target.value })}
            />
          )}
        </Field>
        <PaymasterFields
          host={account.paymaster_host}
          form={draft.value}
          error={errorOf('paymaster_url')}
          edit={draft.edit}
        />
        <Problem error={otherError} />
      </form>
    </Card>
  );
}

function PaymasterFields({
  host,
  form,
  error,
  edit,
}: {
  host: AccountJson['paymaster_host'];
  form: { paymaster: string; removesPaymaster: boolean };
  error: ReactNode;
  edit: (change: { paymaster?: string; removesPaymaster?: boolean }) => void;
}) {
  const t = useT();
  return (
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
        error={error}
        onChange={(event) => edit({ paymaster: event.target.value })}
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
          onChange={(removesPaymaster) => edit({ removesPaymaster })}
        />
      )}
    </div>
  );
}
