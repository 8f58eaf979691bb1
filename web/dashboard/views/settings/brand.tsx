import type { FormEvent, ReactNode } from 'react';
import { patch } from '../../lib/api.ts';
import { useDebounced } from '../../lib/debounced.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { useAct } from '../../lib/state.tsx';
import type { AccountJson } from '../../lib/types.ts';
import { Card, Field, Problem, SelectField, TextField } from '../../ui/basic.tsx';
import { fieldProblems } from '../../ui/field-problems.tsx';
import { useDraft } from './drafts.tsx';
import { LogoField } from './logo.tsx';

type BrandForm = ReturnType<typeof formOf>;
type BrandDraft = ReturnType<typeof useBrandDraft>;

/** The merchant's name, look and contact, with a preview of the checkout. */
export function Brand({ account }: { account: AccountJson }) {
  const { t } = useLanguage();
  const draft = useBrandDraft(account);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    draft.save();
  };
  return (
    <Card title={t('What customers see')}>
      <form ref={draft.ref} onSubmit={submit} noValidate className="grid gap-4 lg:grid-cols-[1fr_18rem]">
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <LookFields draft={draft} />
          <ContactFields draft={draft} />
        </div>
        <BrandPreview form={draft.form} />
        {Boolean(draft.otherError) && (
          <div className="lg:col-span-2">
            <Problem error={draft.otherError} />
          </div>
        )}
      </form>
    </Card>
  );
}

/** The form, and the service's objection to one of its fields. */
function useBrandDraft(account: AccountJson) {
  const { t } = useLanguage();
  const save = useAct(
    (form: BrandForm) => patch<AccountJson>('/v1/account', changeOf(form)),
    ['account', 'onboarding'],
  );
  const draft = useDraft(formOf(account), save.isPending);
  const labels = {
    name: t('Name'),
    logo_url: t('Logo (https URL)'),
    'brand.accent_color': t('Accent color'),
    'brand.background_color': t('Background color'),
    support_email: t('Support email'),
    support_url: t('Support page'),
    receipt_details: t('On receipts'),
  };
  return {
    ref: draft.form,
    form: draft.value,
    edit: draft.edit,
    set: (name: keyof BrandForm) => (event: { target: { value: string } }) =>
      draft.edit({ [name]: event.target.value }),
    save: () => save.mutate(draft.value, { onSuccess: draft.done }),
    ...fieldProblems(save.error, labels),
  };
}

function formOf(account: AccountJson) {
  return {
    name: account.name ?? '',
    logo: account.logo_url ?? '',
    accent: account.brand.accent_color ?? '',
    background: account.brand.background_color ?? '',
    theme: account.brand.theme ?? '',
    corners: account.brand.corners ?? '',
    email: account.support_email ?? '',
    url: account.support_url ?? '',
    details: account.receipt_details ?? '',
  };
}

function changeOf(form: BrandForm) {
  const or = (text: string) => text.trim() || null;
  return {
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
    receipt_details: or(form.details),
  };
}

function LookFields({ draft: { form, edit, set, errorOf } }: { draft: BrandDraft }) {
  const { t } = useLanguage();
  return (
    <>
      <TextField label={t('Name')} maxLength={100} value={form.name} error={errorOf('name')} onChange={set('name')} />
      <LogoField value={form.logo} error={errorOf('logo_url')} onChange={(logo) => edit({ logo })} />
      <Color
        label={t('Accent color')}
        value={form.accent}
        standard="#1f5eff"
        error={errorOf('brand.accent_color')}
        onChange={(accent) => edit({ accent })}
      />
      <Color
        label={t('Background color')}
        value={form.background}
        standard="#f2f4f8"
        error={errorOf('brand.background_color')}
        onChange={(background) => edit({ background })}
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
    </>
  );
}

function ContactFields({ draft: { form, set, errorOf } }: { draft: BrandDraft }) {
  const { t } = useLanguage();
  return (
    <>
      <TextField
        label={t('Support email')}
        type="email"
        value={form.email}
        error={errorOf('support_email')}
        onChange={set('email')}
      />
      <TextField
        label={t('Support page')}
        type="url"
        value={form.url}
        error={errorOf('support_url')}
        onChange={set('url')}
        placeholder="https://"
      />
      <div className="sm:col-span-2">
        <Field
          label={t('On receipts')}
          hint={t('Your company, address and tax number, as the law asks for them.')}
          error={errorOf('receipt_details')}
        >
          {(control) => (
            <textarea {...control} rows={3} maxLength={500} value={form.details} onChange={set('details')} />
          )}
        </Field>
      </div>
    </>
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

/** The real checkout page with what is in the form, saved or not. It runs no script and takes no click. */
function BrandPreview({ form }: { form: BrandForm }) {
  const { t, locale } = useLanguage();
  const { name, logo, accent, background, theme, corners } = form;
  const address = `/dashboard/preview?${new URLSearchParams({ name, logo, accent, background, theme, corners, lang: locale })}`;
  const shown = useDebounced(address);
  return (
    <div className="mx-auto h-100 w-72 max-w-full overflow-hidden rounded-xl outline outline-line">
      <iframe
        title={t('Preview of your checkout')}
        src={shown}
        sandbox="allow-same-origin"
        inert
        className="preview border-0"
      />
    </div>
  );
}
