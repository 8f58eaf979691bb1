import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { remove } from '../lib/api.ts';
import { useOpenOnLoad } from '../lib/open-on-load.ts';
import { instant, plain } from '../lib/format.ts';
import { useLanguage, useT } from '../lib/i18n.tsx';
import { useAccount, useAct, useList, useMode } from '../lib/state.tsx';
import type { ApiKeyJson } from '../lib/types.ts';
import { AddButton, Badge, Button, Empty, Heading, Problem } from '../ui/basic.tsx';
import { Confirm, Dialog } from '../ui/dialog.tsx';
import { SecretShown } from '../ui/secret.tsx';
import { ListCard } from '../ui/listing.tsx';
import { ActionsHead, Cell, Table } from '../ui/table.tsx';
import { CHANGED_BY_KEYS, CreateKey } from './keys/create.tsx';
import { RotateKey } from './keys/rotate.tsx';

type OpenDialog =
  | { kind: 'create' }
  | { kind: 'rotate' | 'delete'; key: ApiKeyJson }
  | { kind: 'secret'; secret: string };

export function KeysView() {
  const { t } = useLanguage();
  const { mode } = useMode();
  const list = useList<ApiKeyJson>('keys', '/v1/api-keys', { mode });
  const [open, setOpen] = useState<OpenDialog | null>(null);
  useOpenOnLoad(useSearch({ from: '/shell/keys' }).new, () => setOpen({ kind: 'create' }));
  const close = () => setOpen(null);
  const drop = useAct((id: string) => remove<unknown>(`/v1/api-keys/${id}`), CHANGED_BY_KEYS);
  const create = <AddButton onClick={() => setOpen({ kind: 'create' })}>{t('Create a key')}</AddButton>;
  return (
    <>
      <Heading
        title={t('API keys')}
        below={
          <>
            {t('Secret keys authenticate your server. They can’t move funds. Keep them private.')} <WalletRule />
          </>
        }
      >
        {create}
      </Heading>
      <div className="grid gap-4">
        <Problem error={drop.error} />
        <ListCard
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
            heads={[t('Name'), t('Key'), t('Last used'), t('Created'), <ActionsHead key="act" />]}
          >
            {list.items.map((key) => (
              <KeyRow key={key.id} apiKey={key} open={(kind) => setOpen({ kind, key })} />
            ))}
          </Table>
        </ListCard>
      </div>
      {open?.kind === 'create' && (
        <CreateKey onClose={close} onMade={(secret) => setOpen({ kind: 'secret', secret })} />
      )}
      {open?.kind === 'secret' && (
        <Dialog title={t('Your secret key')} onClose={close} isHeld>
          <SecretShown secret={open.secret} name="QUITTANCE_KEY" onDone={close} />
        </Dialog>
      )}
      {open?.kind === 'rotate' && (
        <RotateKey apiKey={open.key} onClose={close} onMade={(secret) => setOpen({ kind: 'secret', secret })} />
      )}
      {open?.kind === 'delete' && (
        <DeleteDialog
          busy={drop.isPending}
          onClose={close}
          onConfirm={() => drop.mutate(open.key.id, { onSettled: close })}
        />
      )}
    </>
  );
}

function KeyRow({ apiKey, open }: { apiKey: ApiKeyJson; open: (dialog: 'rotate' | 'delete') => void }) {
  const { t, locale } = useLanguage();
  return (
    <tr>
      <Cell className="font-medium">
        <bdi>{plain(apiKey.label ?? t('No name'))}</bdi>
        {apiKey.scopes && (
          <code className="block max-w-72 font-mono text-xs font-normal text-quiet">{apiKey.scopes.join(' ')}</code>
        )}
      </Cell>
      <Cell>
        <code className="font-mono text-quiet">
          {apiKey.livemode ? 'sk_live_' : 'sk_test_'}…{apiKey.last4}
        </code>
        {apiKey.previous_expires_at && (
          <span className="block text-xs text-quiet">
            {t('The old secret works until {time}.', { time: instant(locale, apiKey.previous_expires_at) })}
          </span>
        )}
      </Cell>
      <Cell label={t('Last used')} className="whitespace-nowrap">
        {apiKey.last_used_at ? instant(locale, apiKey.last_used_at) : <Badge>{t('Never')}</Badge>}
      </Cell>
      <Cell label={t('Created')} className="whitespace-nowrap text-quiet">
        {instant(locale, apiKey.created_at)}
      </Cell>
      <Cell className="text-end whitespace-nowrap">
        <span className="inline-flex gap-1 max-sm:flex-wrap">
          <Button onClick={() => open('rotate')}>{t('Rotate')}</Button>
          <Button kind="danger" onClick={() => open('delete')}>
            {t('Delete')}
          </Button>
        </span>
      </Cell>
    </tr>
  );
}

function DeleteDialog({ busy, onClose, onConfirm }: { busy: boolean; onClose: () => void; onConfirm: () => void }) {
  const { t } = useLanguage();
  return (
    <Confirm
      title={t('Delete this key?')}
      action={t('Delete')}
      danger
      busy={busy}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      {t('Requests using this key will fail immediately. This can’t be undone.')}
    </Confirm>
  );
}

/** What a key can do about where payments go: that depends on the account. */
function WalletRule() {
  const t = useT();
  const account = useAccount().data;
  if (account?.login_method === 'wallet') return null;
  if (account?.wallets_by_login_only) return t('They can’t add payout wallets either.');
  if (account?.confirm_key_wallets) return t('A payout wallet that a live key adds waits for you to confirm it.');
  // The usual sentence has its place from the beginning, so that nothing moves once the account is known.
  return (
    <span className={account ? undefined : 'invisible'}>
      {t('A full key can add payout wallets, and a leaked one could let customers pay to another address.')}{' '}
      <Link to="/settings" className="text-accent underline">
        {t('Change that')}
      </Link>
    </span>
  );
}
