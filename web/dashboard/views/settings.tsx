import { useState } from 'react';
import { LANGUAGES, type Locale } from '../../ui/languages.ts';
import { useLanguage } from '../lib/i18n.tsx';
import { useSignOut } from '../lib/sign-out.ts';
import { useAccount, useMode } from '../lib/state.tsx';
import { keepTimeZone, keptTimeZone, localTimeZone, timeZones } from '../lib/time-zone.ts';
import { chooseTheme, chosenTheme, type Theme } from '../lib/theme.ts';
import type { AccountJson } from '../lib/types.ts';
import { Button, Card, Copyable, Facts, Heading, Notice, Problem, SelectField, Skeleton } from '../ui/basic.tsx';
import { Brand } from './settings/brand.tsx';
import { Developers } from './settings/developers.tsx';
import { SaveTogether } from './settings/drafts.tsx';
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
  if (account.isLoadingError) return <Problem error={account.error} retry={() => void account.refetch()} />;
  return (
    <>
      <Heading title={t('Settings')} />
      <SaveTogether>
        <div className="grid gap-5">
          <Brand account={account.data} />
          <SessionDefaults account={account.data} />
          <PaymentRules account={account.data} />
          <Mails account={account.data} />
          <Developers account={account.data} />
          {mode === 'test' && <TestClock account={account.data} />}
          <Invitations />
          <Appearance />
          <Session account={account.data} />
        </div>
      </SaveTogether>
    </>
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
  const { signOut, error } = useSignOut();
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
        <Problem error={error} />
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
