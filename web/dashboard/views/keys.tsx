import { SCOPE_NAMES, type Scope } from '@quittance/contract/scopes';
import { useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { type Mode, post, remove } from '../lib/api.ts';
import { useOpenOnLoad } from '../lib/open-on-load.ts';
import { instant, plain } from '../lib/format.ts';
import { useLanguage } from '../lib/i18n.tsx';
import { useAct, useList, useMode } from '../lib/state.tsx';
import type { ApiKeyJson, ApiKeyWithSecretJson } from '../lib/types.ts';
import { Badge, Button, Card, Empty, Heading, Problem, SelectField, TextField } from '../ui/basic.tsx';
import { Confirm, Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { SecretShown } from '../ui/secret.tsx';
import { Listing } from '../ui/listing.tsx';
import { Cell, Table } from '../ui/table.tsx';

const CHANGED = ['keys', 'onboarding'];

export function KeysView() {
  const { t, locale } = useLanguage();
  const { mode } = useMode();
  const list = useList<ApiKeyJson>('keys', '/v1/api-keys', { mode });
  const [open, setOpen] = useState<
    { kind: 'create' } | { kind: 'rotate' | 'delete'; key: ApiKeyJson } | { kind: 'secret'; secret: string } | null
  >(null);
  useOpenOnLoad(useSearch({ from: '/shell/keys' }).new, () => setOpen({ kind: 'create' }));
  const close = () => setOpen(null);
  const drop = useAct((id: string) => remove<unknown>(`/v1/api-keys/${id}`), CHANGED);
  const create = (
    <Button kind="primary" onClick={() => setOpen({ kind: 'create' })}>
      <Icon name="plus" size={16} />
      {t('Create a key')}
    </Button>
  );
  return (
    <>
      <Heading
        title={t('API keys')}
        below={t('Secret keys authenticate your server. They can’t move funds. Keep them private.')}
      >
        {create}
      </Heading>
      <div className="grid gap-4">
        <Problem error={drop.error} />
        <Card flush>
          <Listing
            list={list}
            empty={
              <Empty
                title={mode === 'live' ? t('No live key yet') : t('No test key yet')}
                action={create}
                docs="/docs/api-keys"
              />
            }
          >
            <Table
              label={t('API keys')}
              heads={[
                t('Name'),
                t('Key'),
                t('Last used'),
                t('Created'),
                <span key="act" className="sr-only">
                  {t('Actions')}
                </span>,
              ]}
            >
              {list.items.map((key) => (
                <tr key={key.id}>
                  <Cell className="font-medium">
                    <bdi>{plain(key.label ?? t('No name'))}</bdi>
                    {key.scopes && (
                      <code className="block max-w-72 font-mono text-xs font-normal text-quiet">
                        {key.scopes.join(' ')}
                      </code>
                    )}
                  </Cell>
                  <Cell>
                    <code className="font-mono text-quiet">
                      {key.livemode ? 'sk_live_' : 'sk_test_'}…{key.last4}
                    </code>
                    {key.previous_expires_at && (
                      <span className="block text-xs text-quiet">
                        {t('The old secret works until {time}.', { time: instant(locale, key.previous_expires_at) })}
                      </span>
                    )}
                  </Cell>
                  <Cell className="whitespace-nowrap">
                    {key.last_used_at ? instant(locale, key.last_used_at) : <Badge>{t('Never')}</Badge>}
                  </Cell>
                  <Cell className="whitespace-nowrap text-quiet">{instant(locale, key.created_at)}</Cell>
                  <Cell className="text-end whitespace-nowrap">
                    <span className="inline-flex gap-1">
                      <Button onClick={() => setOpen({ kind: 'rotate', key })}>{t('Rotate')}</Button>
                      <Button kind="danger" onClick={() => setOpen({ kind: 'delete', key })}>
                        {t('Delete')}
                      </Button>
                    </span>
                  </Cell>
                </tr>
              ))}
            </Table>
          </Listing>
        </Card>
      </div>
      {open?.kind === 'create' && (
        <CreateKey onClose={close} onMade={(secret) => setOpen({ kind: 'secret', secret })} />
      )}
      {open?.kind === 'secret' && (
        <Dialog title={t('Your secret key')} onClose={close}>
          <SecretShown secret={open.secret} name="QUITTANCE_SECRET_KEY" onDone={close} />
        </Dialog>
      )}
      {open?.kind === 'rotate' && (
        <RotateKey apiKey={open.key} onClose={close} onMade={(secret) => setOpen({ kind: 'secret', secret })} />
      )}
      {open?.kind === 'delete' && (
        <Confirm
          title={t('Delete this key?')}
          action={t('Delete')}
          danger
          busy={drop.isPending}
          onClose={close}
          onConfirm={() => drop.mutate(open.key.id, { onSettled: close })}
        >
          {t('Requests using this key will fail immediately. This can’t be undone.')}
        </Confirm>
      )}
    </>
  );
}

/** In seconds. */
const OVERLAPS = [
  { seconds: 0, name: 'Stops immediately' },
  { seconds: 3_600, name: 'Works for one more hour' },
  { seconds: 86_400, name: 'Works for one more day' },
  { seconds: 604_800, name: 'Works for one more week' },
] as const;

function RotateKey({
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
    CHANGED,
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

function CreateKey({ onClose, onMade }: { onClose: () => void; onMade: (secret: string) => void }) {
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
    CHANGED,
  );
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
          onChange={(event) => setLabel(event.target.value)}
          placeholder={t('Web shop')}
        />
        <SelectField label={t('Mode')} value={wanted} onChange={(event) => setWanted(event.target.value as Mode)}>
          <option value="test">{t('Test: no real money')}</option>
          <option value="live">{t('Live')}</option>
        </SelectField>
        <ScopeFields scopes={scopes} onChange={setScopes} />
        <Problem error={create.error} />
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
      <label className="flex items-center gap-2.5 text-sm">
        <input
          type="radio"
          name="access"
          className="size-4 accent-accent"
          checked={scopes === null}
          onChange={() => onChange(null)}
        />
        {t('Everything')}
      </label>
      <label className="flex items-center gap-2.5 text-sm">
        <input
          type="radio"
          name="access"
          className="size-4 accent-accent"
          checked={scopes !== null}
          onChange={() => onChange(new Set())}
        />
        {t('Only these')}
      </label>
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
