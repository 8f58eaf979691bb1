import { useState } from 'react';
import { post } from '../../lib/api.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { useAct } from '../../lib/state.tsx';
import type { ApiKeyJson, ApiKeyWithSecretJson } from '../../lib/types.ts';
import { Problem, SelectField } from '../../ui/basic.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { CHANGED_BY_KEYS } from './create.tsx';

/** In seconds. */
const OVERLAPS = [
  { seconds: 0, name: 'Stops immediately' },
  { seconds: 3_600, name: 'Works for one more hour' },
  { seconds: 86_400, name: 'Works for one more day' },
  { seconds: 604_800, name: 'Works for one more week' },
] as const;

/** Makes a new secret, and asks how long the old one still works. */
export function RotateKey({
  apiKey,
  onClose,
  onMade,
}: {
  apiKey: ApiKeyJson;
  onClose: () => void;
  onMade: (secret: string) => void;
}) {
  const { t } = useLanguage();
  const [overlap, setOverlap] = useState(0);
  const rotate = useAct(
    () => post<ApiKeyWithSecretJson>(`/v1/api-keys/${apiKey.id}/rotate`, { overlap_seconds: overlap }),
    CHANGED_BY_KEYS,
  );
  return (
    <Confirm
      title={t('Rotate this key?')}
      action={t('Rotate now')}
      danger
      busy={rotate.isPending}
      onClose={onClose}
      onConfirm={() => rotate.mutate(undefined, { onSuccess: ({ secret }) => onMade(secret) })}
    >
      <div className="grid gap-4">
        <SelectField
          label={t('Old secret')}
          hint={t(
            'While both secrets work, you can switch your servers one by one. Choose an immediate stop if the old one has leaked.',
          )}
          value={overlap}
          onChange={(event) => setOverlap(Number(event.target.value))}
        >
          {OVERLAPS.map(({ seconds, name }) => (
            <option key={seconds} value={seconds}>
              {t(name)}
            </option>
          ))}
        </SelectField>
        <Problem error={rotate.error} />
      </div>
    </Confirm>
  );
}
