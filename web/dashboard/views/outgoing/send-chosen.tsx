import { type ReactNode, useState } from 'react';
import { inventedHash } from '../../lib/made-up.ts';
import { useLanguage, useT } from '../../lib/i18n.tsx';
import type { Others } from '../../lib/send-held.ts';
import { type Sendable, useSent, useUnsent } from '../../lib/sent-by-wallets.ts';
import { useAct, useList } from '../../lib/state.tsx';
import { sumsOf } from '../../lib/sums.ts';
import type { PayoutWalletJson } from '../../lib/types.ts';
import type { ConnectedWallet } from '../../lib/wallets.ts';
import { AddressWarnings } from '../../ui/address-warnings.tsx';
import { Badge, Button, Copyable, Notice, Problem } from '../../ui/basic.tsx';
import { ForeignWallet, HandedOver } from './wallet-notices.tsx';
import { type Agreed, isSameAddress, type Question, useSending } from './use-sending.ts';

/** Planned refunds or payouts of a network, how they are sent, and what is said of them. */
interface Outgoing {
  network: string;
  livemode: boolean;
  planned: readonly (Sendable & { asset: string })[];
  /** The table of them. Each has its check box, and its state in place of the status. */
  table: (box: (one: { id: string; to: string | null }) => ReactNode, state: (id: string) => ReactNode) => ReactNode;
  /** How many the service takes in one request. */
  most: number;
  /** Lets the wallet send these, or returns what a person is asked first. */
  send: (wallet: ConnectedWallet, ids: readonly string[], agreed: Agreed) => Promise<Question | null>;
  /** Says which transaction sent them. */
  record: (ids: readonly string[], hash: string) => Promise<unknown>;
  /** The nouns that change by that. */
  changed: readonly string[];
  /** Wallets of other browsers have some of them. */
  held: (others: Others, takeOver: () => void) => ReactNode;
  texts: { noWallet: string; signatures: string; testMode: string };
}

/** The merchant's wallet sends the chosen ones by one signature, if it can. */
export function SendChosen(outgoing: Outgoing) {
  const { planned, livemode, table } = outgoing;
  const { t, locale } = useLanguage();
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const unsent = useUnsent(planned.map(({ id }) => id));
  const chosen = planned.filter(({ id }) => unsent.includes(id) && !leftOut.has(id));
  const ids = chosen.map(({ id }) => id);
  const toggle = (id: string) => {
    const next = new Set(leftOut);
    if (!next.delete(id)) next.add(id);
    setLeftOut(next);
  };
  return (
    <div className="grid gap-4">
      {table(
        ({ id, to }) => (
          <input
            type="checkbox"
            className="size-4 accent-accent"
            aria-label={t('Send to {address}', { address: to ?? '' })}
            checked={!leftOut.has(id)}
            onChange={() => toggle(id)}
          />
        ),
        (id) => (
          <SendState id={id} />
        ),
      )}
      {chosen.length > 0 && (
        <p className="text-sm tabular-nums">
          {t('{count} chosen: {amounts}', { count: chosen.length, amounts: sumsOf(locale, chosen) })}
        </p>
      )}
      {livemode ? <ByWallet outgoing={outgoing} ids={ids} /> : <WithoutChain outgoing={outgoing} ids={ids} />}
    </div>
  );
}

/** What the browser knows of one that it offered to a wallet. */
function SendState({ id }: { id: string }) {
  const t = useT();
  const { isSending, sent, isHandedOver } = useSent(id);
  if (sent) return <Badge tone="accent">{t('Sent')}</Badge>;
  if (isSending) return <Badge tone="accent">{t('In your wallet')}</Badge>;
  return isHandedOver ? <HandedOver keptAs={id} /> : <Badge>{t('Planned')}</Badge>;
}

function ByWallet({ outgoing, ids }: { outgoing: Outgoing; ids: readonly string[] }) {
  const { network, most, send, held, texts } = outgoing;
  const t = useT();
  const own = useList<PayoutWalletJson>('wallets', '/v1/payout-wallets');
  const [progress, setProgress] = useState({ done: 0, all: 0 });
  const { wallets, connecting, isSending, error, foreign, asked, start, sendFrom, agree } = useSending(
    network,
    (address) => own.items.some((wallet) => isSameAddress(wallet.address, address)),
    async (connected, agreed) => {
      setProgress({ done: 0, all: ids.length });
      const counted = counting(connected, () => setProgress(({ done, all }) => ({ done: done + 1, all })));
      for (let at = 0; at < ids.length; at += most) {
        const question = await send(counted, ids.slice(at, at + most), agreed);
        if (question) return question;
      }
      return null;
    },
  );
  return (
    <div className="grid justify-items-start gap-3">
      {wallets.length === 0 && <Notice>{texts.noWallet}</Notice>}
      {foreign && (
        <ForeignWallet onSend={() => void sendFrom(foreign)}>
          {t('Your wallet is connected with {address}, which isn’t one of your payout wallets.', {
            address: foreign.address,
          })}
        </ForeignWallet>
      )}
      {asked && asked.doubted.length > 0 && <Doubts refunds={asked.doubted} onConfirm={() => void agree()} />}
      {asked && asked.others.length > 0 && held(asked.others, () => void agree())}
      {wallets.map((wallet) => (
        <Button
          key={wallet.name}
          kind="primary"
          busy={isSending === true || connecting === wallet.name}
          // Before the payout wallets are known, each of them would be called a foreign one.
          disabled={ids.length === 0 || own.isPending}
          onClick={() => void start(wallet)}
        >
          {t('Send {count} with {wallet}', { count: ids.length, wallet: wallet.name })}
        </Button>
      ))}
      <p role="status" className="text-sm tabular-nums empty:hidden">
        {isSending && progress.all > 1 && t('{done} of {all} sent', progress)}
      </p>
      <p className="text-sm text-quiet">{texts.signatures}</p>
      <Problem error={error} />
    </div>
  );
}

/** The same wallet, which also says that it sent another one. */
function counting(wallet: ConnectedWallet, count: () => void): ConnectedWallet {
  return {
    ...wallet,
    sendAll: (wanted, sent) =>
      wallet.sendAll(wanted, (place, hash) => {
        sent(place, hash);
        count();
      }),
  };
}

/** Addresses that no person has confirmed, before a wallet is asked. */
function Doubts({ refunds, onConfirm }: { refunds: Question['doubted']; onConfirm: () => void }) {
  const t = useT();
  return (
    <div className="grid justify-items-start gap-3">
      {refunds.map(({ id, to, warnings }) => (
        <div key={id} className="grid gap-2">
          <Copyable text={to} />
          <AddressWarnings warnings={warnings} />
        </div>
      ))}
      <Button onClick={onConfirm}>{t('The addresses are right: send')}</Button>
    </div>
  );
}

/** Test mode has no chain, so there is nothing to sign. */
function WithoutChain({ outgoing, ids }: { outgoing: Outgoing; ids: readonly string[] }) {
  const { network, record, changed, texts } = outgoing;
  const t = useT();
  const recording = useAct(() => record(ids, inventedHash(network)), changed);
  return (
    <div className="grid justify-items-start gap-3">
      <Notice>{texts.testMode}</Notice>
      <Button
        kind="primary"
        busy={recording.isPending}
        disabled={ids.length === 0}
        onClick={() => recording.mutate(undefined)}
      >
        {t('Record {count} as sent', { count: ids.length })}
      </Button>
      <Problem error={recording.error} />
    </div>
  );
}
