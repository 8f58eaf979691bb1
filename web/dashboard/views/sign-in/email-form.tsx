import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { post } from '../../lib/api.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { Button, Problem, TextField } from '../../ui/basic.tsx';
import { fieldProblems } from '../../ui/field-problems.tsx';

/** Asks for an address, and then for the code that was sent to it. */
export function EmailForm({ invitation, enter }: { invitation: string | null; enter: () => Promise<void> }) {
  const { t } = useLanguage();
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const [isSent, setSent] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { errorOf, otherError } = fieldProblems(
    error,
    { email: t('Email'), code: t('Code') },
    { invalid_code: 'code' },
  );
  const send = () => post('/v1/auth/email/start', { email, ...(invitation && { invitation }) });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      if (isSent) {
        await post('/dashboard/session/email', { email, code: code.trim() });
        await enter();
      } else {
        await send();
        setSent(true);
      }
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label={t('Email')}
        type="email"
        name="email"
        autoComplete="email"
        required
        autoFocus
        value={email}
        error={errorOf('email')}
        readOnly={isSent}
        onChange={(event) => setEmail(event.target.value)}
        placeholder="you@example.com"
      />
      {isSent && <CodeField code={code} error={errorOf('code')} onChange={setCode} />}
      <Problem error={otherError} isPublic />
      <Button kind="primary" type="submit" busy={busy}>
        {isSent ? t('Sign in') : t('Send a code')}
      </Button>
      {isSent && <SendAgain send={send} onError={setError} />}
      {isSent && (
        <Button
          kind="quiet"
          onClick={() => {
            setSent(false);
            setCode('');
            setError(null);
          }}
        >
          {t('Use a different email')}
        </Button>
      )}
      {isSent && ['localhost', '127.0.0.1'].includes(location.hostname) && <MailInbox />}
    </form>
  );
}

function CodeField({ code, error, onChange }: { code: string; error: ReactNode; onChange: (code: string) => void }) {
  const { t } = useLanguage();
  return (
    <TextField
      label={t('Code')}
      hint={t('Enter the 6-character code from the email subject. It expires in 10 minutes.')}
      name="code"
      autoComplete="one-time-code"
      autoCapitalize="characters"
      spellCheck={false}
      required
      minLength={6}
      maxLength={6}
      autoFocus
      className="block w-full rounded-lg border border-line bg-surface px-3 py-2 text-center font-mono text-xl tracking-[.4em] uppercase"
      value={code}
      error={error}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** Where a development server shows the mails that it did not send. */
function MailInbox() {
  const { t } = useLanguage();
  return (
    <p className="text-center text-sm text-quiet">
      {t('Running locally? Your code is in the')}{' '}
      <a className="text-accent underline" href="/dev/mail" target="_blank" rel="noreferrer">
        {t('mail inbox')}
      </a>
      .
    </p>
  );
}

const RESEND_AFTER_SECONDS = 30;

/** Another code, once the first has had time to arrive. */
function SendAgain({ send, onError }: { send: () => Promise<unknown>; onError: (problem: unknown) => void }) {
  const { t } = useLanguage();
  const [seconds, setSeconds] = useState(RESEND_AFTER_SECONDS);
  useEffect(() => {
    if (seconds === 0) return undefined;
    const timer = setTimeout(() => setSeconds(seconds - 1), 1_000);
    return () => clearTimeout(timer);
  }, [seconds]);
  const again = () => {
    setSeconds(RESEND_AFTER_SECONDS);
    onError(null);
    void send().catch(onError);
  };
  return (
    <Button kind="quiet" disabled={seconds > 0} onClick={again} className="tabular-nums">
      {seconds > 0 ? t('Send a new code in {seconds} s', { seconds }) : t('Send a new code')}
    </Button>
  );
}
