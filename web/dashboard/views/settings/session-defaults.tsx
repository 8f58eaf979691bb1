import type { FormEvent } from 'react';
import { patch } from '../../lib/api.ts';
import { networkName } from '../../../networks/networks.ts';
import { useT } from '../../lib/i18n.tsx';
import { useAct, useAssets } from '../../lib/state.tsx';
import type { AccountJson, AssetJson, Currency } from '../../lib/types.ts';
import { AllOrSome, TickList } from '../../ui/choices.tsx';
import { Card, Problem, SelectField } from '../../ui/basic.tsx';
import { useDraft } from './drafts.tsx';

const CURRENCIES: Currency[] = ['USD', 'EUR', 'AED'];
const EXPIRIES = [
  { seconds: 900, name: '15 minutes' },
  { seconds: 1_800, name: '30 minutes' },
  { seconds: 7_200, name: '2 hours' },
  { seconds: 86_400, name: '1 day' },
  { seconds: 604_800, name: '7 days' },
  { seconds: 2_592_000, name: '30 days' },
] as const;

/** The defaults of a checkout, if neither the request nor the link sets a value. */
export function SessionDefaults({ account }: { account: AccountJson }) {
  const t = useT();
  const kept = account.session_defaults;
  const initial = {
    currency: (kept.currency ?? '') as string,
    expiry: kept.expires_in === null ? '' : String(kept.expires_in),
    assets: kept.accepted_assets as readonly string[] | null,
  };
  const save = useAct(
    ({ currency, expiry, assets }: typeof initial) =>
      patch<AccountJson>('/v1/account', {
        session_defaults: {
          currency: currency || null,
          expires_in: expiry === '' ? null : Number(expiry),
          accepted_assets: assets,
        },
      }),
    ['account'],
  );
  const { pay: offered } = useAssets();
  const draft = useDraft(initial, save.isPending);
  const { currency, expiry, assets } = draft.value;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(draft.value, { onSuccess: draft.done });
  };
  return (
    <Card title={t('Checkouts')}>
      <form ref={draft.form} onSubmit={submit} className="grid gap-4">
        <p className="text-sm text-quiet">
          {t('Defaults used when your API request or payment link doesn’t specify a value.')}
        </p>
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label={t('Currency')}
            value={currency}
            onChange={(event) => draft.edit({ currency: event.target.value })}
          >
            <option value="">{t('Default ({value})', { value: 'USD' })}</option>
            {CURRENCIES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </SelectField>
          <ExpiryField expiry={expiry} onChange={(next) => draft.edit({ expiry: next })} />
        </div>
        <AssetFields
          assets={assets}
          offered={offered}
          kept={kept.accepted_assets ?? offered.map(({ key }) => key)}
          onChange={(next) => draft.edit({ assets: next })}
        />
        <Problem error={save.error} />
      </form>
    </Card>
  );
}

function ExpiryField({ expiry, onChange }: { expiry: string; onChange: (expiry: string) => void }) {
  const t = useT();
  // A value that was set by the API and is not in the list is added to it.
  const expiries =
    expiry === '' || EXPIRIES.some(({ seconds }) => String(seconds) === expiry)
      ? EXPIRIES
      : [{ seconds: Number(expiry), name: '' as const }, ...EXPIRIES];
  return (
    <SelectField label={t('Expires after')} value={expiry} onChange={(event) => onChange(event.target.value)}>
      <option value="">{t('Default ({value})', { value: t('1 hour') })}</option>
      {expiries.map(({ seconds, name }) => (
        <option key={seconds} value={seconds}>
          {name === '' ? t('{count} seconds', { count: seconds }) : t(name)}
        </option>
      ))}
    </SelectField>
  );
}

/** All coins, or those that are selected. `kept` is what a selection starts with. */
function AssetFields({
  assets,
  offered,
  kept,
  onChange,
}: {
  assets: readonly string[] | null;
  offered: readonly AssetJson[];
  kept: readonly string[];
  onChange: (assets: readonly string[] | null) => void;
}) {
  const t = useT();
  const show = (wanted: string) => {
    const { asset = '', network = '' } = offered.find(({ key }) => key === wanted) ?? {};
    return (
      <bdi>
        {asset} · {networkName(network)}
      </bdi>
    );
  };
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium">{t('Accepted coins')}</legend>
      <AllOrSome
        name="assets"
        all={{ label: t('All supported coins'), checked: assets === null, choose: () => onChange(null) }}
        some={{ label: t('Selected coins only'), checked: assets !== null, choose: () => onChange(kept) }}
      />
      {assets && (
        <div className="grid gap-1.5 ps-6 pt-1 sm:grid-cols-3">
          <TickList values={offered.map(({ key }) => key)} chosen={assets} onChange={onChange} show={show} />
        </div>
      )}
    </fieldset>
  );
}
