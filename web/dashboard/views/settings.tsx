import { type FormEvent, type ReactNode, useState } from 'react';
import { LANGUAGES, type Locale } from '../../ui/languages.ts';
import { ApiError, patch } from '../lib/api.ts';
import { useLanguage } from '../lib/i18n.tsx';
import { useSignOut } from '../lib/sign-out.ts';
import { useAccount, useAct, useMode } from '../lib/state.tsx';
import { keepTimeZone, keptTimeZone, localTimeZone, timeZones } from '../lib/time-zone.ts';
import { chooseTheme, chosenTheme, type Theme } from '../lib/theme.ts';
import type { AccountJson } from '../lib/types.ts';
import {
  Button,
  Card,
  Copyable,
  Facts,
  Field,
  Heading,
  Notice,
  Problem,
  SelectField,
  Skeleton,
  TextField,
} from '../ui/basic.tsx';
import { BrandPreview } from './settings/brand-preview.tsx';
import { SaveTogether, useDraft } from './settings/drafts.tsx';
import { FieldProblem } from './settings/field-problem.tsx';
import { Invitations } from './settings/invitations.tsx';
import { Mails } from './settings/mails.tsx';
import { PaymentRules } from './settings/payment-rules.tsx';
import { SessionDefaults } from './settings/session-defaults.tsx';
import { TestClock } from './settings/test-clock.tsx';

export function SettingsView() {
  const { t } = useLanguage();
  const { mode } = useMode();
  const account = useAccount();
  if (account.isPending)
    return (
      <Card>
        <Skeleton rows={8} />
      </Card>
    );
  if (account.error) return <Problem error={account.error} retry={() => void account.refetch()} />;
  return (
    <>
      <Heading title={t('Settings')} />
      <div className="grid gap-5">
        <SaveTogether>
          <div className="grid gap-5">
            <Brand account={account.data} />
            <SessionDefaults account={account.data} />
            <PaymentRules account={account.data} />
            <Mails account={account.data} />
          </div>
        </SaveTogether>
        {mode === 'test' && <TestClock account={account.data} />}
        <Invitations />
        <Appearance />
        <Session account={account.data} />
      </div>
    </>
  );
}

function Brand({ account }: { account: AccountJson }) {
  const { t } = useLanguage();
  const initial = {
    name: account.name ?? '',
    logo: account.logo_url ?? '',
    accent: account.brand.accent_color ?? '',
    background: account.brand.background_color ?? '',
    theme: account.brand.theme ?? '',
    corners: account.brand.corners ?? '',
    email: account.support_email ?? '',
    url: account.support_url ?? '',
    frames: account.frame_parents.join('\n'),
  };
  const or = (text: string) => text.trim() || null;
  const save = useAct(
    (form: typeof initial) =>
      patch<AccountJson>('/v1/account', {
        name: or(form.name),
        logo_url: or(form.logo),
        brand: {
          accent_color: or(form.accent),
          background_color: or(form.background),
          theme: or(form.theme),
          corners: or(form.corners),
        },
        support_email: or(form.email),
        support_url: or(form.url),
        frame_parents: form.frames.split(/\s+/).filter(Boolean),
      }),
    ['account', 'onboarding'],
  );
  const draft = useDraft(initial, save.isPending);
  const form = draft.value;
  const set = (name: keyof typeof form) => (event: { target: { value: string } }) =>
    draft.edit({ [name]: event.target.value });
  const problem = save.error instanceof ApiError ? save.error : null;
  const labels: Record<string, string> = {
    name: t('Name'),
    logo_url: t('Logo (https URL)'),
    'brand.accent_color': t('Accent color'),
    'brand.background_color': t('Background color'),
    support_email: t('Support email'),
    support_url: t('Support page'),
    frame_parents: t('Allowed embed origins'),
  };
  const field = Object.keys(labels).find((param) => problem?.param?.replaceAll('/', '.').startsWith(param));
  const of = (param: string) => problem && field === param && <FieldProblem problem={problem} label={labels[param]} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(form, { onSuccess: draft.done });
  };
  return (
    <Card title={t('What customers see')}>
      <form ref={draft.form} onSubmit={submit} className="grid gap-4 lg:grid-cols-[1fr_18rem]">
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField label={t('Name')} maxLength={100} value={form.name} error={of('name')} onChange={set('name')} />
          <TextField
            label={t('Logo (https URL)')}
            type="url"
            value={form.logo}
            error={of('logo_url')}
            onChange={set('logo')}
            placeholder="https://"
          />
          <Color
            label={t('Accent color')}
            value={form.accent}
            standard="#1f5eff"
            error={of('brand.accent_color')}
            onChange={(accent) => draft.edit({ accent })}
          />
          <Color
            label={t('Background color')}
            value={form.background}
            standard="#f2f4f8"
            error={of('brand.background_color')}
            onChange={(background) => draft.edit({ background })}
          />
          <SelectField label={t('Checkout theme')} value={form.theme} onChange={set('theme')}>
            <option value="">{t('Match visitor’s device')}</option>
            <option value="light">{t('Light')}</option>
            <option value="dark">{t('Dark')}</option>
          </SelectField>
          <SelectField label={t('Corners')} value={form.corners || 'round'} onChange={set('corners')}>
            <option value="round">{t('Round')}</option>
            <option value="soft">{t('Soft')}</option>
            <option value="square">{t('Square')}</option>
          </SelectField>
          <TextField
            label={t('Support email')}
            type="email"
            value={form.email}
            error={of('support_email')}
            onChange={set('email')}
          />
          <TextField
            label={t('Support page')}
            type="url"
            value={form.url}
            error={of('support_url')}
            onChange={set('url')}
            placeholder="https://"
          />
          <div className="sm:col-span-2">
            <Field
              label={t('Allowed embed origins')}
              hint={t('One origin per line, such as https://shop.example.com.')}
              error={of('frame_parents')}
            >
              {(control) => (
                <textarea {...control} rows={2} spellCheck={false} value={form.frames} onChange={set('frames')} />
              )}
            </Field>
          </div>
        </div>
        <BrandPreview form={form} />
        {!field && save.error && (
          <div className="lg:col-span-2">
            <Problem error={save.error} />
          </div>
        )}
      </form>
    </Card>
  );
}

/** A color as text and as a swatch, which is crossed out while the checkout's own color applies. */
function Color({
  label,
  value,
  standard,
  error,
  onChange,
}: {
  label: string;
  value: string;
  /** The checkout's own color. */
  standard: string;
  error: ReactNode;
  onChange: (value: string) => void;
}) {
  const { t } = useLanguage();
  const isSet = /^#[0-9a-fA-F]{6}$/.test(value);
  return (
    <Field label={label} error={error}>
      {(control) => (
        <span className="flex gap-2">
          <span className="relative h-9 w-12 shrink-0">
            <input
              type="color"
              aria-label={t('Pick: {label}', { label })}
              value={isSet ? value : standard}
              onChange={(event) => onChange(event.target.value)}
              className="size-full cursor-pointer rounded-lg border border-line bg-surface p-1"
            />
            {!isSet && (
              <span aria-hidden="true" className="pointer-events-none absolute inset-1 rounded bg-surface unset" />
            )}
          </span>
          <input
            {...control}
            value={value}
            placeholder={t('Default')}
            spellCheck={false}
            onChange={(event) => onChange(event.target.value)}
          />
        </span>
      )}
    </Field>
  );
}

function Appearance() {
  const { t, locale, setLocale } = useLanguage();
  const [theme, setTheme] = useState(chosenTheme);
  const [zone, setZone] = useState(keptTimeZone);
  return (
    <Card title={t('Display preferences')}>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('Theme')}
          value={theme}
          onChange={(event) => {
            setTheme(event.target.value as Theme);
            chooseTheme(event.target.value as Theme);
          }}
        >
          <option value="system">{t('System')}</option>
          <option value="light">{t('Light')}</option>
          <option value="dark">{t('Dark')}</option>
        </SelectField>
        <SelectField label={t('Language')} value={locale} onChange={(event) => setLocale(event.target.value as Locale)}>
          {Object.entries(LANGUAGES).map(([tag, name]) => (
            <option key={tag} value={tag} lang={tag}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={t('Time zone')}
          hint={t('CSV exports are always in UTC.')}
          value={zone ?? ''}
          onChange={(event) => {
            setZone(event.target.value || null);
            keepTimeZone(event.target.value || null);
          }}
        >
          <option value="">{t('Default ({value})', { value: localTimeZone() })}</option>
          {timeZones().map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
      </div>
    </Card>
  );
}

function Session({ account }: { account: AccountJson }) {
  const { t } = useLanguage();
  const signOut = useSignOut();
  return (
    <Card title={t('Account')}>
      <div className="grid gap-4">
        <Facts
          facts={[
            [t('Email'), account.email ?? <Copyable key="w" text={account.login_wallet?.address ?? ''} />],
            [t('Account'), <Copyable key="id" text={account.id} />],
          ]}
        />
        {account.login_method === 'wallet' && (
          <Notice>{t('You sign in with a wallet, so payouts go only to that wallet.')}</Notice>
        )}
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => signOut(false)}>{t('Sign out')}</Button>
          <Button kind="danger" onClick={() => signOut(true)}>
            {t('Sign out everywhere')}
          </Button>
        </div>
      </div>
    </Card>
  );
}
