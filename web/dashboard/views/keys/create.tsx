import type { Mode } from '@quittance/contract';
import { SCOPE_NAMES, type Scope } from '@quittance/contract/scopes';
import { type FormEvent, useState } from 'react';
import { post } from '../../lib/api.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { useAct, useMode } from '../../lib/state.tsx';
import type { ApiKeyWithSecretJson } from '../../lib/types.ts';
import { AllOrSome } from '../../ui/all-or-some.tsx';
import { Button, Problem, SelectField, TextField } from '../../ui/basic.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { fieldProblems } from '../../ui/field-problems.tsx';

/** What is read again after a change of a key. */
export const CHANGED_BY_KEYS = ['keys', 'onboarding'];

export function CreateKey({ onClose, onMade }: { onClose: () => void; onMade: (secret: string) => void }) {
  const { t } = useLanguage();
  const { mode } = useMode();
  const [wanted, setWanted] = useState<Mode>(mode);
  const [label, setLabel] = useState('');
  const [scopes, setScopes] = useState<ReadonlySet<Scope> | null>(null);
  const create = useAct(
    () =>
      post<ApiKeyWithSecretJson>('/v1/api-keys', {
        mode: wanted,
        ...(label.trim() && { label: label.trim() }),
        ...(scopes && { scopes: [...scopes] }),
      }),
    CHANGED_BY_KEYS,
  );
  const { errorOf, otherError } = fieldProblems(create.error, { label: t('Name (optional)') });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(undefined, { onSuccess: ({ secret }) => onMade(secret) });
  };
  return (
    <Dialog title={t('Create a key')} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label={t('Name (optional)')}
          maxLength={100}
          value={label}
          error={errorOf('label')}
          onChange={(event) => setLabel(event.target.value)}
          placeholder={t('Web shop')}
        />
        <SelectField label={t('Mode')} value={wanted} onChange={(event) => setWanted(event.target.value as Mode)}>
          <option value="test">{t('Test: no real money')}</option>
          <option value="live">{t('Live')}</option>
        </SelectField>
        <ScopeFields scopes={scopes} onChange={setScopes} />
        <Problem error={otherError} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" type="submit" busy={create.isPending} disabled={scopes?.size === 0}>
            {t('Create')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The key's permissions. The scopes have the same names as in the API. */
function ScopeFields({
  scopes,
  onChange,
}: {
  scopes: ReadonlySet<Scope> | null;
  onChange: (scopes: ReadonlySet<Scope> | null) => void;
}) {
  const { t } = useLanguage();
  const toggle = (scope: Scope) => {
    const next = new Set(scopes);
    if (!next.delete(scope)) next.add(scope);
    onChange(next);
  };
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1 text-sm font-medium">{t('Access')}</legend>
      <AllOrSome
        name="access"
        all={{ label: t('Everything'), checked: scopes === null, choose: () => onChange(null) }}
        some={{ label: t('Only these'), checked: scopes !== null, choose: () => onChange(new Set()) }}
      />
      {scopes && (
        <div className="grid gap-1.5 ps-6 pt-1 sm:grid-cols-2">
          {SCOPE_NAMES.map((scope) => (
            <label key={scope} className="flex items-center gap-2.5 text-sm">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={scopes.has(scope)}
                onChange={() => toggle(scope)}
              />
              <code className="font-mono">{scope}</code>
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}
