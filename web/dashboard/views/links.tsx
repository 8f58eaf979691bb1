import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { post } from '../lib/api.ts';
import { useOpenOnLoad } from '../lib/open-on-load.ts';
import { networkName } from '../../networks/networks.ts';
import { plain } from '../lib/format.ts';
import { type Translate, useLanguage } from '../lib/i18n.tsx';
import { useList, useRead, useSwitch } from '../lib/state.tsx';
import type { PaymentLinkJson } from '../lib/types.ts';
import {
  AddButton,
  Badge,
  Button,
  buttonClass,
  Copyable,
  Empty,
  Heading,
  Notice,
  Problem,
  useCopied,
} from '../ui/basic.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { downloadPng, downloadSvg, QrCode } from '../ui/qr.tsx';
import { ListCard } from '../ui/listing.tsx';
import { ActionsHead, Cell, Table } from '../ui/table.tsx';
import { LinkForm, useWallets } from './links/create.tsx';
import { chargeOf, hasEnded, whyEnds } from './links/terms.tsx';

type OpenDialog =
  | { kind: 'create'; from?: PaymentLinkJson }
  | { kind: 'edit'; from: PaymentLinkJson }
  | { kind: 'share'; link: PaymentLinkJson };

export function LinksView() {
  const { t } = useLanguage();
  const list = useList<PaymentLinkJson>('links', '/v1/payment-links');
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const asked = useSearch({ from: '/shell/links' });
  useOpenOnLoad(asked.new, () => setOpen({ kind: 'create' }));
  const one = useRead<PaymentLinkJson>(
    'link',
    `/v1/payment-links/${encodeURIComponent(asked.id ?? '')}`,
    {},
    { enabled: asked.id !== undefined },
  );
  useOpenOnLoad(one.data && true, () => setOpen(one.data ? { kind: 'share', link: one.data } : null));
  const toggle = useSwitch(
    (link: PaymentLinkJson) =>
      post<PaymentLinkJson>(`/v1/payment-links/${link.id}/${link.status === 'active' ? 'disable' : 'enable'}`),
    ['links'],
    (link): PaymentLinkJson => ({ ...link, status: link.status === 'active' ? 'disabled' : 'active' }),
  );
  const create = <AddButton onClick={() => setOpen({ kind: 'create' })}>{t('Create a link')}</AddButton>;
  return (
    <>
      <Heading
        title={t('Payment links')}
        below={t('Share one URL with many customers. Each customer gets their own checkout.')}
      >
        {create}
      </Heading>
      <div className="grid gap-4">
        <ListCard
          list={list}
          empty={
            <Empty
              title={t('No payment links yet')}
              action={create}
              docs="/docs/guides/selling-without-code#create-a-link"
            >
              {t('Get paid without code. Add a description and an amount, then share the link.')}
            </Empty>
          }
        >
          <Table
            label={t('Payment links')}
            heads={[t('Description'), t('Amount'), t('Paid out in'), t('Paid'), t('Status'), <ActionsHead key="act" />]}
          >
            {list.items.map((link) => (
              <LinkRow
                key={link.id}
                link={link}
                open={setOpen}
                toggle={() => toggle.mutate(link)}
                busy={toggle.isPending && toggle.variables?.id === link.id}
              />
            ))}
          </Table>
        </ListCard>
        <Switched toggle={toggle} />
      </div>
      {(open?.kind === 'create' || open?.kind === 'edit') && (
        <LinkForm
          from={open.from}
          isEdited={open.kind === 'edit'}
          onClose={() => setOpen(null)}
          onMade={(link) => setOpen(open.kind === 'edit' ? null : { kind: 'share', link })}
        />
      )}
      {open?.kind === 'share' && <ShareLink link={open.link} onClose={() => setOpen(null)} />}
    </>
  );
}

/**
 * The link that was just disabled, with Undo, or why it could not be switched. Below the list, so that no row moves under the
 * pointer; no wider than its words, so that it covers no button.
 */
function Switched({ toggle }: { toggle: ReturnType<typeof useSwitch<PaymentLinkJson, PaymentLinkJson>> }) {
  const { t } = useLanguage();
  const disabled = toggle.isSuccess && toggle.variables.status === 'active' ? toggle.variables : null;
  const undo = () => disabled && toggle.mutate({ ...disabled, status: 'disabled' });
  return (
    <div className="sticky bottom-4 w-fit max-w-full">
      <Problem error={toggle.error} />
      <div role="status" className="empty:hidden">
        {disabled && (
          <Notice>
            {t('Disabled')}:{' '}
            <bdi className="inline-block max-w-64 truncate align-bottom">{plain(disabled.description)}</bdi>{' '}
            <button type="button" className="font-medium underline" onClick={undo}>
              {t('Undo')}
            </button>
          </Notice>
        )}
      </div>
    </div>
  );
}

function LinkRow({
  link,
  open,
  toggle,
  busy,
}: {
  link: PaymentLinkJson;
  open: (dialog: OpenDialog) => void;
  toggle: () => void;
  busy: boolean;
}) {
  const { t } = useLanguage();
  return (
    <tr>
      <Cell className="max-w-72">
        <Link to="/payments" search={{ link: link.id }} className="font-medium hover:underline">
          <bdi className="line-clamp-2 [overflow-wrap:anywhere]">{plain(link.description)}</bdi>
        </Link>
        <span className="block text-xs text-quiet">
          <Copyable text={link.url} shown={`…${link.url.slice(-12)}`} label={t('Copy {text}', { text: link.url })} />
        </span>
      </Cell>
      <Cell className="whitespace-nowrap tabular-nums">
        <Charge link={link} />
      </Cell>
      <Cell label={t('Paid out in')} className="whitespace-nowrap text-quiet">
        {link.receive_asset} · {networkName(link.receive_network)}
      </Cell>
      <Cell label={t('Payments')} className="tabular-nums">
        {paidOf(link, t)}
      </Cell>
      <Cell>
        <Status link={link} />
      </Cell>
      <Cell className="text-end whitespace-nowrap">
        <span className="inline-flex gap-1 max-sm:flex-wrap">
          <Button onClick={() => open({ kind: 'share', link })}>{t('Share')}</Button>
          <Button kind="quiet" onClick={() => open({ kind: 'edit', from: link })}>
            {t('Edit')}
          </Button>
          <Button kind="quiet" onClick={() => open({ kind: 'create', from: link })}>
            {t('Duplicate')}
          </Button>
          <Button kind="quiet" busy={busy} onClick={toggle}>
            {link.status === 'active' ? t('Disable') : t('Enable')}
          </Button>
        </span>
      </Cell>
    </tr>
  );
}

/** `2 of 3` if it takes three payments. */
function paidOf({ payments, max_payments: max }: PaymentLinkJson, t: Translate): string {
  return max === null ? String(payments) : t('{got} of {due}', { got: String(payments), due: String(max) });
}

/** With why it has ended, or when it will. */
function Status({ link }: { link: PaymentLinkJson }) {
  const language = useLanguage();
  const { t } = language;
  const wallet = useLinkWallet(link);
  const why = whyEnds(link, language, wallet);
  return (
    <>
      {link.status === 'disabled' ? (
        <Badge>{t('Disabled')}</Badge>
      ) : hasEnded(link, wallet) ? (
        <Badge>{t('Ended')}</Badge>
      ) : (
        <Badge tone="good">{t('Active')}</Badge>
      )}
      {why && <span className="block text-xs whitespace-nowrap text-quiet">{why}</span>}
    </>
  );
}

function useLinkWallet(link: PaymentLinkJson) {
  return useWallets().items.find(({ id }) => id === link.payout_wallet_id);
}

function Charge({ link }: { link: PaymentLinkJson }) {
  return chargeOf(link, useLanguage());
}

function ShareLink({ link, onClose }: { link: PaymentLinkJson; onClose: () => void }) {
  const language = useLanguage();
  const { t } = language;
  const wallet = useLinkWallet(link);
  const charge = chargeOf(link, language);
  const { copied, copy } = useCopied(link.url);
  const button = `<a href="${link.url}">${link.open_amount ? t('Pay') : t('Pay {amount}', { amount: charge })}</a>`;
  return (
    <Dialog title={t('Share this link')} onClose={onClose}>
      <div className="grid justify-items-center gap-4">
        <p className="text-center">
          <bdi className="font-medium [overflow-wrap:anywhere]">{plain(link.description)}</bdi>
          <br />
          <span className="text-quiet tabular-nums">{charge}</span>
        </p>
        {/* A code that is printed now would open nothing. */}
        {(link.status === 'disabled' || hasEnded(link, wallet)) && (
          <p>
            <Status link={link} />
          </p>
        )}
        <QrCode text={link.url} label={t('QR code of the payment link')} className="w-56 border border-line" />
        <div className="flex flex-wrap justify-center gap-2">
          <Button kind="primary" onClick={() => void copy()}>
            <Icon name={copied ? 'check' : 'copy'} size={16} />
            {copied ? t('Copied') : t('Copy link')}
          </Button>
          <Button onClick={() => downloadPng(link.url, link.id)}>
            <Icon name="download" size={16} />
            PNG
          </Button>
          <Button onClick={() => downloadSvg(link.url, link.id)}>
            <Icon name="download" size={16} />
            SVG
          </Button>
          <a href={link.url} target="_blank" rel="noreferrer" className={buttonClass()}>
            {t('Open')}
            <Icon name="external" size={16} />
          </a>
        </div>
        <div className="w-full rounded-lg bg-raised px-4 py-3 text-sm">
          <Copyable text={link.url} />
        </div>
        <div className="w-full">
          <p className="mb-1 text-sm text-quiet">{t('For a web page')}</p>
          <div className="rounded-lg bg-raised px-4 py-3 text-sm">
            <Copyable text={button} />
          </div>
        </div>
      </div>
    </Dialog>
  );
}
