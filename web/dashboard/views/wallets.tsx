import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { post } from '../lib/api.ts';
import { useOpenOnLoad } from '../lib/open-on-load.ts';
import { networkName } from '../../networks/networks.ts';
import { plain, shorten } from '../lib/format.ts';
import { useT } from '../lib/i18n.tsx';
import { useAccount, useAct, useList } from '../lib/state.tsx';
import type { PayoutWalletJson } from '../lib/types.ts';
import { AddButton, Badge, Button, Card, Copyable, Empty, Heading, Notice, Problem, Skeleton } from '../ui/basic.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { AddWallet } from './wallets/add.tsx';
import { ProveWallet } from './wallets/prove.tsx';

const CHANGED = ['wallets', 'attention', 'onboarding'];

type OpenDialog = { kind: 'add' } | { kind: 'prove' | 'archive' | 'confirm'; wallet: PayoutWalletJson };

export function WalletsView() {
  const t = useT();
  const account = useAccount().data;
  const list = useList<PayoutWalletJson>('wallets', '/v1/payout-wallets', { limit: 100 });
  const [open, setOpen] = useState<OpenDialog | null>(null);
  useOpenOnLoad(useSearch({ from: '/shell/wallets' }).new, () => setOpen({ kind: 'add' }));
  const close = () => setOpen(null);
  const makeDefault = useAct((id: string) => post<PayoutWalletJson>(`/v1/payout-wallets/${id}/default`), CHANGED);
  const archive = useAct((id: string) => post<PayoutWalletJson>(`/v1/payout-wallets/${id}/archive`), CHANGED);
  const isWalletAccount = account?.login_method === 'wallet';
  return (
    <>
      <Heading
        title={t('Payout wallets')}
        below={t('Payments are sent straight to these addresses. We never hold funds or keys.')}
      >
        {!isWalletAccount && <AddButton onClick={() => setOpen({ kind: 'add' })}>{t('Add a wallet')}</AddButton>}
      </Heading>
      <div className="grid gap-4">
        {isWalletAccount && (
          <Notice>
            {t(
              'You sign in with a wallet, so payouts go only to that wallet, and no one else can redirect them. To use several wallets, sign in by email.',
            )}
          </Notice>
        )}
        <Problem error={makeDefault.error ?? archive.error} />
        <LoadedWallets list={list} add={() => setOpen({ kind: 'add' })}>
          {(wallet) => (
            <WalletActions
              wallet={wallet}
              canArchive={!isWalletAccount}
              makeDefault={() => makeDefault.mutate(wallet.id)}
              open={(kind) => setOpen({ kind, wallet })}
            />
          )}
        </LoadedWallets>
      </div>
      {open?.kind === 'add' && <AddWallet onClose={close} />}
      {open?.kind === 'prove' && <ProveWallet wallet={open.wallet} onClose={close} />}
      {open?.kind === 'confirm' && <ConfirmWallet wallet={open.wallet} onClose={close} />}
      {open?.kind === 'archive' && (
        <ArchiveDialog
          busy={archive.isPending}
          onClose={close}
          onConfirm={() => archive.mutate(open.wallet.id, { onSettled: close })}
        />
      )}
    </>
  );
}

function LoadedWallets({
  list,
  add,
  children,
}: {
  list: ReturnType<typeof useList<PayoutWalletJson>>;
  add: () => void;
  children: (wallet: PayoutWalletJson) => ReactNode;
}) {
  if (list.isLoadingError) return <Problem error={list.error} retry={() => void list.refetch()} />;
  if (list.isPending)
    return (
      <Card>
        <Skeleton />
      </Card>
    );
  return list.items.length === 0 ? <NoWallet add={add} /> : <WalletList wallets={list.items}>{children}</WalletList>;
}

function NoWallet({ add }: { add: () => void }) {
  const t = useT();
  return (
    <Card>
      <Empty
        title={t('No payout wallet yet')}
        docs="/docs/guides/selling-without-code#get-a-wallet"
        action={
          <Button kind="primary" onClick={add}>
            {t('Add a wallet')}
          </Button>
        }
      >
        {t('Add the wallet address where you want to receive payments.')}
      </Empty>
    </Card>
  );
}

const ROW = 'flex flex-wrap items-center gap-4 rounded-xl border border-line bg-surface px-5 py-4';

/** Archived wallets come last and have no actions. `children` are the actions of one wallet. */
function WalletList({
  wallets,
  children,
}: {
  wallets: PayoutWalletJson[];
  children: (wallet: PayoutWalletJson) => ReactNode;
}) {
  return (
    <ul className="grid gap-3">
      {[...wallets]
        .sort((a, b) => Number(a.archived) - Number(b.archived))
        .map((wallet) => (
          <li key={wallet.id} className={`${ROW} ${wallet.archived ? 'text-quiet' : ''}`}>
            <div className="min-w-0 flex-1 max-sm:basis-full">
              <WalletName wallet={wallet} />
              <p className="mt-1 text-sm text-quiet">
                <span className="hidden sm:inline">
                  <Copyable text={wallet.address} />
                </span>
                <span className="sm:hidden">
                  <Copyable text={wallet.address} shown={shorten(wallet.address)} />
                </span>
              </p>
              {!wallet.archived && <MissingProof wallet={wallet} />}
            </div>
            {!wallet.archived && children(wallet)}
          </li>
        ))}
    </ul>
  );
}

/** The wallet's name, and a badge for each thing that is special about it. */
function WalletName({ wallet }: { wallet: PayoutWalletJson }) {
  const t = useT();
  return (
    <p className="flex flex-wrap items-center gap-2 font-medium">
      <bdi>{plain(wallet.label ?? '')}</bdi>
      <Badge>
        {wallet.asset} · {networkName(wallet.network)}
      </Badge>
      {wallet.is_default && <Badge tone="accent">{t('Default')}</Badge>}
      {wallet.proved && <Badge tone="good">{t('Verified')}</Badge>}
      {!wallet.archived && wallet.proof === 'required' && <Badge tone="warn">{t('Proof required')}</Badge>}
      {!wallet.archived && wallet.proof === 'disputed' && <Badge tone="bad">{t('Disputed')}</Badge>}
      {wallet.archived && <Badge>{t('Archived')}</Badge>}
      {wallet.created_by === 'key' && <Badge tone="warn">{t('Added via API')}</Badge>}
      {!wallet.archived && wallet.waits_for !== null && <Badge tone="warn">{t('Waits for you')}</Badge>}
    </p>
  );
}

function MissingProof({ wallet: { proof, looked_up, unfit, waits_for: waitsFor } }: { wallet: PayoutWalletJson }) {
  const t = useT();
  if (waitsFor !== null)
    return (
      <p className="mt-2 text-sm">
        {t(
          'A live key added this wallet. No payment settles to it before you confirm it. Archive it if it isn’t yours.',
        )}
      </p>
    );
  if (unfit !== null)
    return (
      <p className="mt-2 text-sm">
        {t('No payment can settle to this wallet.')} <bdi lang="en">{unfit}</bdi>
      </p>
    );
  if (proof === 'required' && !looked_up)
    return (
      <p className="mt-2 text-sm">
        {t(
          'The network was unavailable when you saved this wallet. Until we have looked it up, or you verify that it is yours, customers can pay only from a connected wallet: no QR code, no exchange.',
        )}
      </p>
    );
  if (proof === 'required')
    return (
      <p className="mt-2 text-sm">
        {t(
          'Until you verify that this wallet is yours, customers can pay only from a connected wallet: no QR code, no exchange.',
        )}
      </p>
    );
  if (proof === 'disputed')
    return (
      <p className="mt-2 text-sm">
        {t('Another account proved this address first. Ask the operator of this server to decide.')}
      </p>
    );
  return null;
}

function WalletActions({
  wallet,
  canArchive,
  makeDefault,
  open,
}: {
  wallet: PayoutWalletJson;
  canArchive: boolean;
  makeDefault: () => void;
  open: (dialog: 'prove' | 'archive' | 'confirm') => void;
}) {
  const t = useT();
  return (
    <div className="flex flex-wrap gap-2">
      {wallet.waits_for !== null && (
        <Button kind="primary" onClick={() => open('confirm')}>
          {t('Confirm this wallet')}
        </Button>
      )}
      {!wallet.proved && <Button onClick={() => open('prove')}>{t('Verify ownership')}</Button>}
      {!wallet.is_default && wallet.waits_for === null && (
        <Button kind="quiet" onClick={makeDefault}>
          {t('Make default')}
        </Button>
      )}
      {canArchive && (
        <Button kind="quiet" onClick={() => open('archive')}>
          {t('Archive')}
        </Button>
      )}
    </div>
  );
}

/** A wallet that a live key added: its owner compares the whole address. */
function ConfirmWallet({ wallet, onClose }: { wallet: PayoutWalletJson; onClose: () => void }) {
  const t = useT();
  const confirm = useAct(() => post<PayoutWalletJson>(`/dashboard/api/payout-wallets/${wallet.id}/confirm`), CHANGED);
  return (
    <Confirm
      title={t('Is this your wallet?')}
      action={t('Yes, it’s mine')}
      busy={confirm.isPending}
      onClose={onClose}
      onConfirm={() => confirm.mutate(undefined, { onSuccess: onClose })}
    >
      {t('From now on payments can settle to this address on {network}:', { network: networkName(wallet.network) })}{' '}
      <bdi dir="ltr" className="font-mono text-sm [overflow-wrap:anywhere]">
        {wallet.address}
      </bdi>
      <Problem error={confirm.error} />
    </Confirm>
  );
}

function ArchiveDialog({ busy, onClose, onConfirm }: { busy: boolean; onClose: () => void; onConfirm: () => void }) {
  const t = useT();
  return (
    <Confirm
      title={t('Archive this wallet?')}
      action={t('Archive')}
      danger
      busy={busy}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      {t('No new checkouts or links will use it; open checkouts still pay to it. This can’t be undone.')}
    </Confirm>
  );
}
