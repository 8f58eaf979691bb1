import type { Mode } from '@quittance/contract';
import { SCOPE_NAMES, type Scope } from '@quittance/contract/scopes';
import { useState } from 'react';
import { post } from '../../lib/api.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { useAct, useMode } from '../../lib/state.tsx';
import type { ApiKeyWithSecretJson } from '../../lib/types.ts';
import { AllOrSome, TickList } from '../../ui/choices.tsx';
import { SelectField, TextField } from '../../ui/basic.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { fieldProblems } from '../../ui/field-problems.tsx';

/** What is read again after a change of a key. */
export const CHANGED_BY_KEYS = ['keys', 'onboarding'];

export function CreateKey({ onClose, onMade }: { onClose: () => void; onMade: (secret: string) => void }) {
  const { t } = useLanguage();
  const { mode } = useMode();
  const [wanted, setWanted] = useState<Mode>(mode);
  const [label, setLabel] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[] | null>(null);
  const create = useAct(
    () =>
      post<ApiKeyWithSecretJson>('/v1/api-keys', {
        mode: wanted,
        ...(label.trim() && { label: label.trim() }),
        ...(scopes && { scopes }),
      }),
    CHANGED_BY_KEYS,
  );
  const { errorOf, otherError } = fieldProblems(create.error, { label: t('Name (optional)') });
  return (
    <FormDialog
      title={t('Create a key')}
      action={t('Create')}
      error={otherError}
      busy={create.isPending}
      disabled={scopes?.length === 0}
      onSubmit={() => create.mutate(undefined, { onSuccess: ({ secret }) => onMade(secret) })}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}

/** The key's permissions. The scopes have the same names as in the API. */
function ScopeFields({
  scopes,
  onChange,
}: {
  scopes: readonly Scope[] | null;
  onChange: (scopes: readonly Scope[] | null) => void;
}) {
  const { t } = useLanguage();
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1 text-sm font-medium">{t('Access')}</legend>
      <AllOrSome
        name="access"
        all={{ label: t('Everything'), checked: scopes === null, choose: () => onChange(null) }}
        some={{ label: t('Only these'), checked: scopes !== null, choose: () => onChange([]) }}
      />
      {scopes && (
        <div className="grid gap-1.5 ps-6 pt-1 sm:grid-cols-2">
          <TickList
            values={SCOPE_NAMES}
            chosen={scopes}
            onChange={onChange}
            show={(scope) => <code className="font-mono">{scope}</code>}
          />
        </div>
      )}
    </fieldset>
  );
}
