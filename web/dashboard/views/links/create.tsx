import { MAX_LINK_PAYMENTS } from '@quittance/contract/statuses';
import { readAmount, typedIn } from '@quittance/contract/typed-amount';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { create, patch } from '../../lib/api.ts';
import { networkName } from '../../../networks/networks.ts';
import { plain } from '../../lib/format.ts';
import { type Language, useLanguage } from '../../lib/i18n.tsx';
import { useAccount, useAct, useList } from '../../lib/state.tsx';
import { amountProblem, countProblem } from '../../lib/typed-amount.ts';
import type { Currency, PaymentLinkJson, PayoutWalletJson } from '../../lib/types.ts';
import { Notice, SelectField, TextField } from '../../ui/basic.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { fieldProblems } from '../../ui/field-problems.tsx';
import { unitsOf } from '../payment/refund-share.ts';
import {
  amountBody,
  amountOf,
  hasTerms,
  questionText,
  Questions,
  type TermsForm,
  TermsFields,
  termsBody,
  termsOf,
  typedCharge,
  useUnderstood,
} from './terms.tsx';

const CURRENCIES: Currency[] = ['USD', 'EUR', 'AED'];

type LinkDraft = ReturnType<typeof useLinkDraft>;

interface Form {
  description: string;
  amount: string;
  /** Null: the account's default. */
  currency: Currency | null;
  wallet: string;
  order: string;
  success: string;
}

/** Creates a link, beginning with what another one says, or edits one. */
export function LinkForm({
  from,
  isEdited = false,
  onClose,
  onMade,
}: {
  from?: PaymentLinkJson | undefined;
  isEdited?: boolean;
  onClose: () => void;
  onMade: (link: PaymentLinkJson) => void;
}) {
  const { t } = useLanguage();
  const draft = useLinkDraft(from, isEdited);
  const { save } = draft;
  const title = isEdited ? t('Edit this link') : t('Create a payment link');
  if (draft.isWalletMissing)
    return (
      <Dialog title={title} onClose={onClose} side>
        <WalletMissing />
      </Dialog>
    );
  return (
    <FormDialog
      title={title}
      action={isEdited ? t('Save') : t('Create link')}
      error={draft.otherError ?? draft.walletsError}
      busy={save.isPending}
      disabled={!draft.wallet}
      side
      asksBeforeLeaving
      onSubmit={() => save.mutate(undefined, { onSuccess: onMade })}
      onClose={onClose}
    >
      <LinkFields draft={draft} />
      <Questions terms={draft.terms} onChange={draft.setTerms} errorOf={draft.errorOf} />
      {isEdited && <p className="text-sm text-quiet">{t('Checkouts that are already open stay as they are.')}</p>}
      <MoreFields draft={draft} />
      <Preview draft={draft} />
    </FormDialog>
  );
}

/** What is in the form, what it means with the account's defaults, and the request that makes the link. */
function useLinkDraft(from: PaymentLinkJson | undefined, isEdited: boolean) {
  const language = useLanguage();
  const { t } = language;
  const account = useAccount().data;
  const list = useWallets();
  const wallets = choosable(list.items, isEdited ? from : undefined);
  const [form, setForm] = useState<Form>({
    description: from?.description ?? '',
    amount: amountOf(from),
    currency: from?.currency ?? null,
    wallet: from?.payout_wallet_id ?? '',
    order: from?.order_id ?? '',
    success: from?.success_url ?? '',
  });
  const [terms, setTerms] = useState(termsOf(from));
  const set = (name: keyof Form) => (event: { target: { value: string } }) =>
    setForm({ ...form, [name]: event.target.value });
  const currency = form.currency ?? account?.session_defaults.currency ?? 'USD';
  const wallet =
    wallets.find(({ id }) => id === form.wallet) ?? wallets.find(({ is_default }) => is_default) ?? wallets[0];
  const common = {
    description: form.description,
    amount: amountBody(form.amount, terms),
    ...termsBody(terms, isEdited ? from : undefined),
  };
  const order = form.order.trim();
  const success = form.success.trim();
  const save = useAct(
    () =>
      isEdited
        ? patch<PaymentLinkJson>(`/v1/payment-links/${from?.id}`, {
            ...common,
            order_id: order || null,
            success_url: success || null,
          })
        : create<PaymentLinkJson>('/v1/payment-links', {
            ...common,
            currency,
            payout_wallet_id: wallet?.id,
            ...(order && { order_id: order }),
            ...(success && { success_url: success }),
          }),
    ['links'],
  );
  return {
    isEdited,
    form,
    set,
    terms,
    setTerms,
    currency,
    wallets,
    wallet,
    walletsError: list.isLoadingError && list.error,
    isWalletMissing: list.isSuccess && wallets.length === 0,
    save,
    ...fieldProblems(save.error, labelsOf(terms, t), {}, ownProblems(form.amount, terms, language)),
  };
}

function labelsOf({ isOpen }: TermsForm, t: Language['t']) {
  return {
    description: t('Description'),
    amount: isOpen ? t('Suggested amount (optional)') : t('Amount'),
    payout_wallet_id: t('Payout wallet'),
    order_id: t('Order number (optional)'),
    success_url: t('Redirect after payment (optional)'),
    note_label: t('What the note is called (optional)'),
    'open_amount.min': t('At least (optional)'),
    'open_amount.max': t('At most (optional)'),
    ends_at: t('Last day (optional)'),
    max_payments: t('Payments at most (optional)'),
  };
}

export const useWallets = () => useList<PayoutWalletJson>('wallets', '/v1/payout-wallets', { limit: 100 });

/** A link that is edited keeps its wallet, whatever became of that. */
export function choosable(wallets: PayoutWalletJson[], edited: PaymentLinkJson | undefined): PayoutWalletJson[] {
  return wallets.filter(({ id, archived }) => !archived || id === edited?.payout_wallet_id);
}

/** What is wrong with a field, in the form's own words: the service speaks of decimal strings. */
function ownProblems(amount: string, terms: TermsForm, language: Language) {
  const { isOpen, min, max, lastDay, maxPayments } = terms;
  const problem = (text: string) => text.trim() !== '' && amountProblem(text, language);
  return {
    ends_at: lastDay !== '' && language.t('This day is over. Choose a later one.'),
    amount: problem(amount) || (isOpen && limitProblem(amount, { min, max }, language)),
    max_payments: countProblem(maxPayments, MAX_LINK_PAYMENTS, language),
    'open_amount.min': problem(min),
    // One that can be read is refused only if it is below the least.
    'open_amount.max': problem(max) || (min.trim() !== '' && language.t('At least {amount}', { amount: min.trim() })),
  };
}

/** The suggestion must be one that customers may enter. */
function limitProblem(amount: string, { min, max }: Pick<TermsForm, 'min' | 'max'>, { t }: Language) {
  const cents = (typed: string) => unitsOf(readAmount(typed) ?? '0', 2);
  if (cents(amount) < cents(min)) return t('At least {amount}', { amount: min.trim() });
  return cents(amount) > cents(max) && t('At most {amount}', { amount: max.trim() });
}

function WalletMissing() {
  const { t } = useLanguage();
  return (
    <Notice tone="warn">
      {t('Add a payout wallet before you create a link.')}{' '}
      <Link to="/wallets" className="underline">
        {t('Add a wallet')}
      </Link>
    </Notice>
  );
}

/** What every link has. */
function LinkFields({ draft }: { draft: LinkDraft }) {
  const { t, locale } = useLanguage();
  const { form, set, terms, currency, wallets, wallet, errorOf, isEdited } = draft;
  const understood = useUnderstood(currency);
  const suggestion =
    terms.isOpen && t('Customers see it filled in and can change it. Without it, they enter the amount themselves.');
  return (
    <>
      <TextField
        label={t('Description')}
        required
        maxLength={500}
        value={form.description}
        error={errorOf('description')}
        onChange={set('description')}
        placeholder={t('Workshop seat')}
      />
      <div className="grid grid-cols-[1fr_7rem] items-start gap-3">
        <TextField
          label={terms.isOpen ? t('Suggested amount (optional)') : t('Amount')}
          hint={understood(form.amount) ?? suggestion}
          required={!terms.isOpen}
          inputMode="decimal"
          value={form.amount}
          error={errorOf('amount')}
          onChange={set('amount')}
          placeholder={terms.isOpen ? undefined : typedIn(locale, '49.00')}
        />
        <SelectField label={t('Currency')} value={currency} disabled={isEdited} onChange={set('currency')}>
          {CURRENCIES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </SelectField>
      </div>
      <SelectField
        label={t('Payout wallet')}
        value={wallet?.id ?? ''}
        error={errorOf('payout_wallet_id')}
        disabled={isEdited}
        onChange={set('wallet')}
      >
        {wallets.map((one) => (
          <option key={one.id} value={one.id}>
            {plain(one.label ?? one.address)} ({one.asset} · {networkName(one.network)})
          </option>
        ))}
      </SelectField>
    </>
  );
}

/** What few links need. */
function MoreFields({ draft }: { draft: LinkDraft }) {
  const { form, set, terms, setTerms, errorOf } = draft;
  const { t } = useLanguage();
  const [isOpen, setOpen] = useState(hasTerms(terms));
  const fields = ['order_id', 'success_url', 'open_amount.min', 'open_amount.max', 'ends_at', 'max_payments'];
  const isRefused = fields.some((name) => errorOf(name));
  // Otherwise the message would be hidden.
  useEffect(() => {
    if (isRefused) setOpen(true);
  }, [isRefused]);
  return (
    <details className="text-sm" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit text-quiet hover:text-ink">{t('More')}</summary>
      <div className="mt-3 grid gap-4">
        <TermsFields terms={terms} currency={draft.currency} onChange={setTerms} errorOf={errorOf} />
        <TextField
          label={t('Order number (optional)')}
          maxLength={200}
          value={form.order}
          error={errorOf('order_id')}
          onChange={set('order')}
        />
        <TextField
          label={t('Redirect after payment (optional)')}
          type="url"
          value={form.success}
          error={errorOf('success_url')}
          onChange={set('success')}
          placeholder="https://"
        />
      </div>
    </details>
  );
}

/** What the customer will see, and what the merchant will receive. */
function Preview({ draft: { form, terms, currency, wallet } }: { draft: LinkDraft }) {
  const language = useLanguage();
  const { t } = language;
  const account = useAccount().data;
  const charge = typedCharge(form.amount, terms, currency, language);
  return (
    <div className="grid gap-2">
      <p className="text-sm text-quiet">{t('Preview')}</p>
      <div className="grid gap-1 rounded-xl border border-line bg-ground p-5 text-center">
        <p className="text-sm font-medium">{plain(account?.name ?? t('Your shop'))}</p>
        <p className="text-2xl font-semibold tabular-nums">{charge ?? '–'}</p>
        <p className="text-sm text-quiet [overflow-wrap:anywhere]">
          <bdi>{plain(form.description) || t('Description')}</bdi>
        </p>
        <div className="mt-2 grid gap-2" aria-hidden="true">
          {terms.isOpen && <PreviewField label={t('Amount')}>{form.amount}</PreviewField>}
          {terms.askFor.map((one) => (
            <PreviewField key={one} label={(one === 'note' && plain(terms.noteLabel)) || questionText(one, t)} />
          ))}
          <span className="mt-1 rounded-lg bg-accent px-4 py-2.5 text-sm font-medium text-on-accent">
            {t('Continue to payment')}
          </span>
        </div>
      </div>
      {charge !== null && wallet && (
        <p className="text-sm text-quiet">
          {t('You receive 100% when paid in {asset} on {network}; other coins carry a 1.5% fee.', {
            asset: wallet.asset,
            network: networkName(wallet.network),
          })}
        </p>
      )}
    </div>
  );
}

function PreviewField({ label, children }: { label: string; children?: string }) {
  return (
    <span className="grid gap-1 text-start text-xs text-quiet">
      {label}
      <span className="min-h-8 rounded-lg border border-line bg-surface px-3 py-1.5 text-sm text-ink">{children}</span>
    </span>
  );
}
