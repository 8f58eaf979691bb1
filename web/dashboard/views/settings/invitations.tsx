import { type FormEvent, useState } from 'react';
import { post, remove } from '../../lib/api.ts';
import { day, plain } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { useAct, useList } from '../../lib/state.tsx';
import type { InvitationJson, InvitationWithUrlJson } from '../../lib/types.ts';
import { Button, Card, Copyable, Notice, Problem, TextField } from '../../ui/basic.tsx';
import { fieldProblems } from '../../ui/field-problems.tsx';

const CHANGED = ['invitations'];

/** Links that open an account here. Only the operator's account may list them, so others see nothing. */
export function Invitations() {
  const { t, locale } = useLanguage();
  const list = useList<InvitationJson>('invitations', '/v1/invitations', { limit: 100 });
  const [email, setEmail] = useState('');
  const [url, setUrl] = useState<string | null>(null);
  const create = useAct(
    () => post<InvitationWithUrlJson>('/v1/invitations', email.trim() ? { email: email.trim() } : {}),
    CHANGED,
  );
  const revoke = useAct((id: string) => remove<unknown>(`/v1/invitations/${id}`), CHANGED);
  const { errorOf, otherError } = fieldProblems(create.error, { email: t('Email') });
  if (!list.data) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(undefined, {
      onSuccess: (made) => {
        setUrl(made.url);
        setEmail('');
      },
    });
  };
  const pending = list.items.filter(({ status }) => status === 'pending');
  return (
    <Card title={t('Invitations')}>
      <div className="grid gap-4">
        <p className="text-sm text-quiet">{t('Each link opens an account for another shop, not access to yours.')}</p>
        <form onSubmit={submit} className="grid gap-3 sm:max-w-md">
          <TextField
            label={t('Email')}
            hint={t('Leave empty to share the link yourself.')}
            type="email"
            maxLength={254}
            value={email}
            error={errorOf('email')}
            onChange={(event) => setEmail(event.target.value)}
          />
          <div>
            <Button type="submit" busy={create.isPending}>
              {t('Create an invitation link')}
            </Button>
          </div>
        </form>
        <Problem error={otherError ?? revoke.error} />
        {url !== null && (
          <div className="grid gap-2">
            <Notice tone="warn">{t('Copy it now. You won’t be able to see it again.')}</Notice>
            <div className="rounded-lg bg-raised px-4 py-3">
              <Copyable text={url} label={t('Copy message')} />
            </div>
          </div>
        )}
        {pending.length > 0 && (
          <ul className="grid gap-2 text-sm">
            {pending.map((one) => (
              <li key={one.id} className="flex flex-wrap items-center gap-x-4 gap-y-1">
                <bdi className="font-medium [overflow-wrap:anywhere]">{plain(one.label ?? one.email ?? one.id)}</bdi>
                <span className="flex-1 text-quiet">
                  {t('Valid until {day}', { day: day(locale, one.expires_at) })}
                </span>
                <Button kind="danger" busy={revoke.isPending} onClick={() => revoke.mutate(one.id)}>
                  {t('Revoke')}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}
