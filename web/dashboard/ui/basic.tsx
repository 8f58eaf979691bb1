import { type ComponentProps, isValidElement, type ReactNode, useEffect, useId, useState } from 'react';
import { ApiError } from '../lib/api.ts';
import { plain, utcInstant } from '../lib/format.ts';
import { type Translate, useLanguage, useT } from '../lib/i18n.tsx';
import { WalletRefusedError } from '../lib/wallet-refusal.ts';
import { CODES } from './codes.ts';
import { Icon } from './icon.tsx';

const BUTTON =
  'inline-flex items-center justify-center gap-2 rounded-lg px-3.5 py-2 text-sm font-medium min-h-9 transition-colors disabled:opacity-50';
const KINDS = {
  primary: 'bg-accent text-on-accent hover:opacity-90',
  plain: 'border border-line bg-surface text-ink hover:bg-raised',
  quiet: 'text-quiet hover:bg-raised hover:text-ink',
  danger: 'border border-line bg-surface text-bad hover:bg-bad-tint',
};

interface ButtonProps extends ComponentProps<'button'> {
  kind?: keyof typeof KINDS;
  busy?: boolean;
}

export function Button({
  kind = 'plain',
  busy = false,
  className = '',
  children,
  disabled,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      className={`${BUTTON} ${KINDS[kind]} ${className}`}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {children}
    </button>
  );
}

/** Opens the dialog that makes the first or another one. */
export function AddButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Button kind="primary" onClick={onClick}>
      <Icon name="plus" size={16} />
      {children}
    </Button>
  );
}

export function buttonClass(kind: keyof typeof KINDS = 'plain'): string {
  return `${BUTTON} ${KINDS[kind]}`;
}

export function Card({
  title,
  action,
  children,
  className = '',
  flush = false,
}: {
  title?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
  className?: string;
  flush?: boolean;
}) {
  return (
    <section className={`min-w-0 rounded-xl border border-line bg-surface ${className}`}>
      {title !== undefined && (
        <div className="flex flex-wrap items-center justify-between gap-2 px-5 pt-4 pb-2">
          <h2 className="text-sm font-semibold">{title}</h2>
          {action}
        </div>
      )}
      <div className={flush ? '' : title !== undefined ? 'px-5 pb-5' : 'p-5'}>{children}</div>
    </section>
  );
}

/** `name` is the window's title if the heading is more than text. */
export function Heading({
  title,
  name,
  children,
  below,
}: {
  title: ReactNode;
  name?: string;
  children?: ReactNode;
  below?: ReactNode;
}) {
  const called = name ?? (typeof title === 'string' ? title : '');
  useEffect(() => {
    document.title = called ? `${called} · Quittance` : 'Quittance';
  }, [called]);
  return (
    <div className="mb-6 flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0">
        <h1 className="text-2xl font-semibold tracking-tight [overflow-wrap:anywhere]">{title}</h1>
        {below && <div className="mt-1 max-w-2xl text-sm text-quiet">{below}</div>}
      </div>
      {children && <div className="relative flex flex-wrap gap-2">{children}</div>}
    </div>
  );
}

const CONTROL =
  'block w-full rounded-lg border border-line bg-surface px-3 py-2 text-sm min-h-9 aria-invalid:border-bad';

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  children: (control: {
    id: string;
    className: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean | undefined;
  }) => ReactNode;
}

/** A labeled control with its hint and its error. */
export function Field({ label, hint, error: given, children }: FieldProps) {
  const id = useId();
  // A refusal is about what was sent, so it goes once that is changed. Its key names the answer.
  const [changed, setChanged] = useState<string | null>(null);
  const key = isValidElement(given) ? given.key : null;
  const error = key !== null && key === changed ? null : given;
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ') || undefined;
  return (
    <div className="grid gap-1.5" onInput={() => setChanged(key)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, className: CONTROL, 'aria-describedby': described, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-quiet">
          {hint}
        </p>
      )}
      {error && (
        <div id={`${id}-error`} role="alert" className="text-sm text-bad">
          {error}
        </div>
      )}
    </div>
  );
}

export function TextField({ label, hint, error, ...rest }: Omit<FieldProps, 'children'> & ComponentProps<'input'>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <input {...control} {...rest} />}
    </Field>
  );
}

export function SelectField({
  label,
  hint,
  error,
  children,
  ...rest
}: Omit<FieldProps, 'children'> & ComponentProps<'select'>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <select {...control} {...rest}>
          {children}
        </select>
      )}
    </Field>
  );
}

const BADGE =
  'inline-flex items-center gap-1 rounded-md px-2 py-0.5 text-xs font-medium tracking-normal whitespace-nowrap';

export function Badge({
  tone = 'neutral',
  children,
}: {
  tone?: 'neutral' | 'good' | 'bad' | 'warn' | 'accent';
  children: ReactNode;
}) {
  const tones = {
    neutral: 'bg-raised text-quiet',
    good: 'bg-good-tint text-good',
    bad: 'bg-bad-tint text-bad',
    warn: 'bg-warn-tint text-warn',
    accent: 'bg-tint text-accent',
  };
  return <span className={`${BADGE} ${tones[tone]}`}>{children}</span>;
}

/** A monospaced value that can be copied. */
export function Copyable({ text, shown, label }: { text: string; shown?: string; label?: string }) {
  const t = useT();
  const { copied, copy } = useCopied(text);
  return (
    <span className="inline-flex min-w-0 max-w-full items-center gap-1">
      <bdi
        className={`font-mono text-[.85em] ${shown ? 'whitespace-nowrap' : '[overflow-wrap:anywhere]'}`}
        title={text}
      >
        {plain(shown ?? text)}
      </bdi>
      <button
        type="button"
        onClick={copy}
        className="inline-grid size-6 shrink-0 place-items-center rounded text-quiet hover:bg-raised hover:text-ink"
        aria-label={label ?? t('Copy {text}', { text: shown ?? text })}
      >
        <Icon name={copied ? 'check' : 'copy'} size={14} />
      </button>
      <span role="status" className="sr-only">
        {copied ? t('Copied') : ''}
      </span>
    </span>
  );
}

/** Copies the text, and says so for a moment. */
export function useCopied(text: string) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return { copied, copy };
}

/** An empty list: why it is empty, what to do next, and where the docs explain it. */
export function Empty({
  title,
  children,
  action,
  docs,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  docs?: string;
}) {
  const t = useT();
  return (
    <div className="grid justify-items-center gap-2 px-6 py-12 text-center">
      <p className="font-medium">{title}</p>
      {children && <p className="max-w-md text-sm text-quiet">{children}</p>}
      {action && <div className="mt-2">{action}</div>}
      {docs && (
        <a href={docs} className="mt-1 text-sm text-accent hover:underline">
          {t('Documentation')}
        </a>
      )}
    </div>
  );
}

/** An error with the service's message, and the id that finds it in the logs. */
export function Problem({
  error,
  retry,
  isPublic = false,
}: {
  error: unknown;
  retry?: () => void;
  /** Before the sign-in, where the request log is not available. */
  isPublic?: boolean;
}) {
  const t = useT();
  if (!error) return null;
  const refusal = error instanceof ApiError ? error : null;
  return (
    <div role="alert" className="grid gap-1 rounded-lg border border-bad/30 bg-bad-tint px-4 py-3 text-sm text-bad">
      <div className="[overflow-wrap:anywhere]">
        {refusal ? <ServiceMessage code={refusal.code}>{refusal.message}</ServiceMessage> : messageOf(error, t)}
      </div>
      {refusal?.requestId && !isPublic && (
        <p className="text-xs">
          {t('Request')} <Copyable text={refusal.requestId} />
        </p>
      )}
      {retry && (
        <div>
          <Button kind="plain" onClick={retry}>
            {t('Try again')}
          </Button>
        </div>
      )}
    </div>
  );
}

function messageOf(error: unknown, t: Translate): string {
  if (error instanceof WalletRefusedError) return t(error.sentence);
  return error instanceof Error ? error.message : t('Something went wrong.');
}

/**
 * The service's messages are English. In other languages the kind of error comes first, or the label of the field, and
 * the message explains it.
 */
export function ServiceMessage({
  code,
  label = '',
  children,
}: {
  code: string;
  label?: string | undefined;
  children: string;
}) {
  const { t, locale } = useLanguage();
  if (locale === 'en') return <p>{children}</p>;
  const kind = t(CODES[code] ?? 'The server rejected this request.');
  return (
    <>
      <p>{label === '' ? kind : t('Check “{label}”.', { label })}</p>
      <p lang="en" dir="ltr" className="text-start text-xs opacity-90">
        {children}
      </p>
    </>
  );
}

export function Skeleton({ rows = 4 }: { rows?: number }) {
  const t = useT();
  return (
    <div role="status" aria-label={t('Loading')} className="grid gap-3 p-5">
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} className={`skeleton h-5 ${at % 3 === 2 ? 'w-2/3' : 'w-full'}`} />
      ))}
    </div>
  );
}

/** A message that a merchant should not overlook. */
export function Notice({ tone = 'neutral', children }: { tone?: 'neutral' | 'warn' | 'good'; children: ReactNode }) {
  const tones = { neutral: 'bg-raised text-ink', warn: 'bg-warn-tint text-warn', good: 'bg-good-tint text-good' };
  return <div className={`rounded-lg px-4 py-3 text-sm ${tones[tone]}`}>{children}</div>;
}

/** A time, with the same time in UTC as a tooltip. */
export function When({ at, children }: { at: string; children: ReactNode }) {
  const { locale } = useLanguage();
  return (
    <time dateTime={at} title={utcInstant(locale, at)}>
      {children}
    </time>
  );
}

/** A button that stays pressed, one of a row. */
export const pressableClass =
  'rounded-lg px-3 text-sm hover:bg-raised aria-pressed:bg-tint aria-pressed:font-medium aria-pressed:text-accent';

/** Pairs of a name and a value. */
export function Facts({ facts }: { facts: readonly (readonly [name: ReactNode, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,max-content)_minmax(0,1fr)] gap-x-6 gap-y-2.5 text-sm">
      {facts.map(([name, value], at) => (
        <div key={at} className="contents">
          <dt className="text-quiet">{name}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
