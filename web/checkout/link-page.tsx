import { LARGEST_AMOUNT, LEAST_AMOUNT } from '@quittance/contract/cents';
import { Foot } from './foot.tsx';
import type { Translate } from './i18n/messages.ts';
import { decimalMark, displayMoney, displayNumber } from './money.ts';
import { plainText } from './plain-text.ts';
import type { LinkPage } from './renderer.ts';
import { Estimate, Merchant, nameOf } from './summary.tsx';

type Limits = NonNullable<LinkPage['openAmount']>;

/** A payment link's page. Only its button opens a session; a visit never does. */
export function LinkPageView({ page, t }: { page: LinkPage; t: Translate }) {
  const name = nameOf(page.merchant, t);
  return (
    <div class="checkout" data-stage="link">
      {!page.livemode && <aside class="test-banner">{t('test_banner')}</aside>}
      <div class="card link-card">
        <header class="summary">
          <Merchant name={name} logo={page.logo} />
          <div class={page.openAmount ? 'visually-hidden' : 'price'}>
            <h1>
              <span class="visually-hidden">{t('title', { merchant: name })}: </span>
              <bdi class="total" dir="ltr">
                {page.openAmount ? page.currency : displayMoney(page.amount, page.currency, page.locale)}
              </bdi>
            </h1>
            <Estimate text={page.estimate} t={t} />
          </div>
          <p class="description">
            <bdi>{plainText(page.description)}</bdi>
          </p>
        </header>
        <main class="stage">
          {/* What is wrong is said beside its field, in the language of the page, by the server. */}
          <form method="post" action={`/pay/${page.id}/open`} noValidate>
            <input type="hidden" name="idempotency_key" value={page.idempotencyKey} />
            {page.openAmount && <Amount page={page} limits={page.openAmount} t={t} />}
            {page.askFor.includes('name') && (
              <Field
                page={page}
                name="name"
                label={t('link_name')}
                autocomplete="name"
                maxLength={200}
                required
                t={t}
              />
            )}
            {page.askFor.includes('email') && (
              <Field
                page={page}
                name="email"
                label={t('link_email')}
                type="email"
                autocomplete="email"
                maxLength={254}
                required
                t={t}
              />
            )}
            {page.askFor.includes('note') && (
              <Field
                page={page}
                name="note"
                label={page.noteLabel === null ? t('link_message', { merchant: name }) : plainText(page.noteLabel)}
                maxLength={500}
                required={page.noteLabel !== null}
                t={t}
              />
            )}
            <button class="primary wide">{t('link_open')}</button>
            <p class="quiet">{t('link_note')}</p>
          </form>
        </main>
      </div>
      <Foot page={page.url} locale={page.locale} merchant={name} t={t} />
    </div>
  );
}

/** An amount that the customer decides. The least one is not filled in: a press must not pay it for a whole order. */
function Amount({ page, limits, t }: { page: LinkPage; limits: Limits; t: Translate }) {
  const amount = page.amount === limits.min ? '' : page.amount.replace('.', decimalMark(page.locale));
  return (
    <Field
      page={{ ...page, typed: { amount, ...page.typed } }}
      name="amount"
      label={t('link_amount', { currency: page.currency })}
      hint={rangeOf(page, limits, t)}
      inputMode="decimal"
      autocomplete="off"
      dir="ltr"
      maxLength={24}
      required
      t={t}
    />
  );
}

/** What the customer may enter, if the merchant limits it. */
function rangeOf({ locale, currency, refused }: LinkPage, limits: Limits, t: Translate): string | undefined {
  const [min, max] = [displayNumber(limits.min, locale), displayNumber(limits.max, locale)];
  if (limits.max !== LARGEST_AMOUNT)
    return t(refused?.includes('amount') ? 'link_enter' : 'link_range', { min, max, currency });
  return limits.min === LEAST_AMOUNT ? undefined : t('link_least', { min, currency });
}

interface FieldProps {
  page: LinkPage;
  name: 'amount' | 'name' | 'email' | 'note';
  label: string;
  hint?: string | undefined;
  type?: 'email' | 'text';
  inputMode?: 'decimal';
  autocomplete?: 'name' | 'email' | 'off';
  dir?: 'ltr';
  maxLength: number;
  required?: boolean;
  t: Translate;
}

function Field({ page, name, label, hint, type = 'text', t, ...input }: FieldProps) {
  const isRefused = page.refused?.includes(name);
  const value = page.typed?.[name] ?? '';
  const problem = value.trim() === '' ? 'link_empty' : type === 'email' ? 'link_email_refused' : 'link_check';
  const control = {
    ...input,
    id: `link-${name}`,
    name,
    value,
    'aria-invalid': isRefused ? true : undefined,
    'aria-describedby': hint || isRefused ? `link-${name}-hint` : undefined,
  };
  return (
    <div class="field">
      <label for={`link-${name}`}>{label}</label>
      {type === 'email' ? <input type="email" {...control} /> : <input type="text" {...control} />}
      {(hint || isRefused) && (
        <p id={`link-${name}-hint`} class={isRefused ? 'refused' : 'quiet'} role={isRefused ? 'alert' : undefined}>
          {hint ?? t(problem)}
        </p>
      )}
    </div>
  );
}
