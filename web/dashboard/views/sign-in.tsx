import { useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { post } from '../lib/api.ts';
import { useLanguage } from '../lib/i18n.tsx';
import { useRead } from '../lib/state.tsx';
import type { SignUpJson } from '../lib/types.ts';
import { Button, Notice, Problem } from '../ui/basic.tsx';
import { Mark } from '../ui/icon.tsx';
import { EmailForm } from './sign-in/email-form.tsx';
import { WalletList } from './sign-in/wallet-list.tsx';

/** The fragment of the service's links, which browsers do not send to the server. */
interface Arrival {
  invitation: string | null;
  login: { email: string; token: string } | null;
}

function readArrival(): Arrival {
  const fields = new URLSearchParams(location.hash.slice(1));
  const [email, token] = [fields.get('email'), fields.get('login')];
  return { invitation: fields.get('invitation'), login: email && token ? { email, token } : null };
}

export function SignInView() {
  const { t } = useLanguage();
  useEffect(() => {
    document.title = `${t('Sign in')} · Quittance`;
  }, [t]);
  const [{ invitation, login }] = useState(readArrival);
  const { to, notice } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const client = useQueryClient();
  const enter = async () => {
    client.clear();
    router.history.push(`/dashboard${to ?? ''}`);
  };
  return (
    <main className="grid min-h-dvh content-start justify-items-center p-4 pt-[max(1rem,14dvh)]">
      <div className="w-full max-w-sm">
        <div className="mb-6 flex items-center justify-center gap-3">
          <Mark size={36} />
          <span className="text-2xl font-semibold tracking-tight">Quittance</span>
        </div>
        <div className="grid gap-5 rounded-2xl border border-line bg-surface p-6 shadow-xs">
          <h1 className="text-lg font-semibold">{t('Sign in')}</h1>
          {notice === 'link' && (
            <Notice tone="warn">
              {t(
                'This sign-in link has expired or was already used. Sign in below, or restart the server for a new link.',
              )}
            </Notice>
          )}
          {login && <LinkForm login={login} enter={enter} />}
          <EmailForm invitation={invitation} enter={enter} />
          <div className="flex items-center gap-3 text-xs text-quiet">
            <span className="h-px flex-1 bg-line" />
            {t('or')}
            <span className="h-px flex-1 bg-line" />
          </div>
          <WalletList invitation={invitation} enter={enter} />
        </div>
        <NewAccounts isInvited={invitation !== null} />
      </div>
    </main>
  );
}

/** Who may open an account here. */
function NewAccounts({ isInvited }: { isInvited: boolean }) {
  const { t } = useLanguage();
  const signUp = useRead<SignUpJson>('sign-up', '/dashboard/session/sign-up').data?.sign_up;
  const explain = () => {
    switch (signUp) {
      case 'open':
        return t('New here? Signing in creates your account. We never hold your funds or private keys.');
      case 'invite':
        return isInvited
          ? t('You were invited. Sign in to open your account.')
          : t('New accounts need an invitation. Ask the operator of this server for a link.');
      case 'setup':
        return isInvited
          ? t('Sign in to open the first account. It manages this server.')
          : t('This server has no account yet. Open the setup link that it prints in its log at start.');
      case 'closed':
        return t('This server does not accept new accounts. Sign in to an existing one.');
      case undefined:
        return '';
    }
  };
  return (
    <p role="status" className="mt-5 text-center text-sm text-quiet">
      {explain()}
    </p>
  );
}

/** Only the button posts the token, so a mail scanner that opens the link does not use it up. */
function LinkForm({ login, enter }: { login: { email: string; token: string }; enter: () => Promise<void> }) {
  const { t } = useLanguage();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    await post('/dashboard/session/link', login).then(enter).catch(setError);
    setBusy(false);
  };
  return (
    <form onSubmit={submit} className="grid gap-3">
      <Button kind="primary" type="submit" busy={busy} className="[overflow-wrap:anywhere]">
        {t('Sign in as {email}', { email: login.email })}
      </Button>
      <Problem error={error} isPublic />
      <div className="flex items-center gap-3 text-xs text-quiet">
        <span className="h-px flex-1 bg-line" />
        {t('or')}
        <span className="h-px flex-1 bg-line" />
      </div>
    </form>
  );
}
