import { type FormEvent, useEffect, useState } from 'react';
import { LANGUAGES } from '../../../ui/languages.ts';
import { create } from '../../lib/api.ts';
import { exactInstant } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { useAct } from '../../lib/state.tsx';
import type { PaymentJson, RefundJson } from '../../lib/types.ts';
import { Button, Copyable, Facts, Notice, Problem, SelectField, TextField } from '../../ui/basic.tsx';
import { fieldProblems } from '../../ui/field-problems.tsx';
import { CHANGED } from './record-refund.tsx';

/** Makes a link by which the customer names the address, and shows it once. */
export function AskByLink({
  payment,
  amount,
  onBusy,
  onMade,
}: {
  payment: PaymentJson;
  /** Null while it cannot be meant. */
  amount: string | null;
  /** The link is shown only once, so the form must stay until it is there. */
  onBusy: (isBusy: boolean) => void;
  onMade: (made: Made) => void;
}) {
  const { t, locale } = useLanguage();
  const [email, setEmail] = useState(payment.customer?.email ?? '');
  const [language, setLanguage] = useState<string>(locale in LANGUAGES ? locale : 'en');
  const ask = useAct(
    () =>
      create<RefundJson>(`/v1/payments/${payment.id}/refunds`, {
        coin_amount: amount,
        link: { email: email.trim() || null, locale: language },
      }),
    CHANGED,
  );
  // The answer calls nothing of a form that has been replaced meanwhile.
  useEffect(() => () => onBusy(false), [onBusy]);
  const { errorOf, otherError } = fieldProblems(ask.error, {
    'link.email': t('Mail the link to (optional)'),
    coin_amount: t('Amount'),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onBusy(true);
    ask.mutate(undefined, {
      onSettled: () => onBusy(false),
      onSuccess: ({ link }) => {
        if (link?.url) onMade({ link: { ...link, url: link.url }, asked: email.trim() });
      },
    });
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label={t('Mail the link to (optional)')}
        type="email"
        value={email}
        error={errorOf('link.email')}
        hint={t('The customer’s wallet proves itself by a signature. You confirm an address that they enter.')}
        onChange={(event) => setEmail(event.target.value)}
      />
      <SelectField
        label={t('Language of the mail')}
        value={language}
        onChange={(event) => setLanguage(event.target.value)}
      >
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </SelectField>
      <Problem error={otherError ?? (errorOf('coin_amount') ? ask.error : null)} />
      <div className="flex justify-end border-t border-line pt-4">
        <Button kind="primary" type="submit" busy={ask.isPending} disabled={amount === null}>
          {t('Create the link')}
        </Button>
      </div>
    </form>
  );
}

/** A link that was just made, and the address that it was to be mailed to. */
export interface Made {
  link: { url: string; expires_at: string; mailed_to: string | null };
  asked: string;
}

export function MadeLink({ link, asked }: Made) {
  const { t, locale } = useLanguage();
  return (
    <div className="grid gap-4">
      <Notice tone="good">
        {link.mailed_to === null
          ? t('Send this link to the customer. It is shown only now, and works once.')
          : t('The link was mailed to {email}. It is shown only now, and works once.', { email: link.mailed_to })}
      </Notice>
      {asked !== '' && link.mailed_to === null && (
        <Notice tone="warn">
          {t(
            'We didn’t mail it. In live mode the payout wallet must be verified, in test mode it goes only to your own address, and each day has a limit.',
          )}
        </Notice>
      )}
      <Facts
        facts={[
          [t('Refund link'), <Copyable key="url" text={link.url} />],
          [t('Valid until'), exactInstant(locale, link.expires_at)],
        ]}
      />
    </div>
  );
}
