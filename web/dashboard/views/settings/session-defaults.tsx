import { PAY_ASSETS } from '@quittance/contract/assets';
import { type FormEvent, useState } from 'react';
import { patch } from '../../lib/api.ts';
import { networkName } from '../../lib/format.ts';
import { useT } from '../../lib/i18n.tsx';
import { useAct } from '../../lib/state.tsx';
import type { AccountJson, Currency } from '../../lib/types.ts';
import { Button, Card, Problem, SelectField } from '../../ui/basic.tsx';

const CURRENCIES: Currency[] = ['USD', 'EUR', 'AED'];
const EXPIRIES = [
  { seconds: 900, name: '15 minutes' },
  { seconds: 1_800, name: '30 minutes' },
  { seconds: 7_200, name: '2 hours' },
  { seconds: 86_400, name: '1 day' },
  { seconds: 604_800, name: '7 days' },
  { seconds: 2_592_000, name: '30 days' },
];

/** What a checkout is like where neither the request nor the link says. */
export function SessionDefaults({ account }: { account: AccountJson }) {
  const t = useT();
  const kept = account.session_defaults;
  const [currency, setCurrency] = useState<string>(kept.currency ?? '');
  const [expiry, setExpiry] = useState(kept.expires_in === null ? '' : String(kept.expires_in));
  const [assets, setAssets] = useState<ReadonlySet<string> | null>(
    kept.accepted_assets && new Set(kept.accepted_assets),
  );
  const save = useAct(
    () =>
      patch<AccountJson>('/v1/account', {
        session_defaults: {
          currency: currency || null,
          expires_in: expiry === '' ? null : Number(expiry),
          accepted_assets: assets && PAY_ASSETS.map(({ key }) => key).filter((key) => assets.has(key)),
        },
      }),
    ['account'],
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  const toggle = (key: string) =>
    setAssets((now) => new Set(now?.has(key) ? [...now].filter((one) => one !== key) : [...(now ?? []), key]));
  // One that was set by the API and is none of these is kept in the list.
  const expiries =
    expiry === '' || EXPIRIES.some(({ seconds }) => String(seconds) === expiry)
      ? EXPIRIES
      : [{ seconds: Number(expiry), name: '' }, ...EXPIRIES];
  return (
    <Card title={t('Checkouts')}>
      <form onSubmit={submit} className="grid gap-4">
        <p className="text-sm text-quiet">
          {t('Defaults used when your API request or payment link doesn’t specify a value.')}
        </p>
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField label={t('Currency')} value={currency} onChange={(event) => setCurrency(event.target.value)}>
            <option value="">{t('Default ({value})', { value: 'USD' })}</option>
            {CURRENCIES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </SelectField>
          <SelectField label={t('Expires after')} value={expiry} onChange={(event) => setExpiry(event.target.value)}>
            <option value="">{t('Default ({value})', { value: t('1 hour') })}</option>
            {expiries.map(({ seconds, name }) => (
              <option key={seconds} value={seconds}>
                {name === '' ? t({ one: '{count} second', other: '{count} seconds' }, { count: seconds }) : t(name)}
              </option>
            ))}
          </SelectField>
        </div>
        <fieldset className="grid gap-2">
          <legend className="mb-1.5 text-sm font-medium">{t('Accepted coins')}</legend>
          <label className="flex items-center gap-2.5 text-sm">
            <input
              type="radio"
              name="assets"
              className="size-4 accent-accent"
              checked={assets === null}
              onChange={() => setAssets(null)}
            />
            {t('All supported coins')}
          </label>
          <label className="flex items-center gap-2.5 text-sm">
            <input
              type="radio"
              name="assets"
              className="size-4 accent-accent"
              checked={assets !== null}
              onChange={() => setAssets(new Set(kept.accepted_assets ?? PAY_ASSETS.map(({ key }) => key)))}
            />
            {t('Selected coins only')}
          </label>
          {assets && (
            <div className="grid gap-1.5 ps-6 pt-1 sm:grid-cols-3">
              {PAY_ASSETS.map(({ key, asset, network }) => (
                <label key={key} className="flex items-center gap-2.5 text-sm">
                  <input
                    type="checkbox"
                    className="size-4 accent-accent"
                    checked={assets.has(key)}
                    onChange={() => toggle(key)}
                  />
                  <bdi>
                    {asset} · {networkName(network)}
                  </bdi>
                </label>
              ))}
            </div>
          )}
        </fieldset>
        <div className="flex flex-wrap items-center gap-3">
          <Button kind="primary" type="submit" busy={save.isPending} disabled={assets?.size === 0}>
            {t('Save')}
          </Button>
          <span role="status" className="text-sm text-good">
            {save.isSuccess && t('Saved')}
          </span>
        </div>
        <Problem error={save.error} />
      </form>
    </Card>
  );
}
