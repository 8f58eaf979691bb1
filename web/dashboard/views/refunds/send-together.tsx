import { MAX_SENT_TOGETHER } from '@quittance/contract/statuses';
import { useEffect, useState } from 'react';
import { familyOf } from '../../../networks/networks.ts';
import { post } from '../../lib/api.ts';
import { assetAmount } from '../../lib/format.ts';
import { useLanguage, useT } from '../../lib/i18n.tsx';
import { type OthersRefunds, sendHeld } from '../../lib/held-refunds.ts';
import { useSentRefund, useUnsent } from '../../lib/sent-refunds.ts';
import { useAct, useList } from '../../lib/state.tsx';
import { sumsOf } from '../../lib/sums.ts';
import type { PayoutWalletJson, RefundJson, SendingJson } from '../../lib/types.ts';
import { type BrowserWallet, type ConnectedWallet, watchWallets } from '../../lib/wallets.ts';
import { AddressWarnings } from '../../ui/address-warnings.tsx';
import { Badge, Button, Copyable, Notice, Problem } from '../../ui/basic.tsx';
import { CHANGED, inventedHash } from '../payment/record-refund.tsx';
import { HeldByOthers } from '../payment/held-by-others.tsx';
import { HandedOver } from '../payment/send-by.tsx';
import { RefundTable } from './refund-table.tsx';

type Network = RefundJson['network'];

/** Refunds that a person has agreed to: to their addresses, and to sending them in place of another browser. */
interface Agreed {
  addresses: ReadonlySet<string>;
  takenOver: ReadonlySet<string>;
}

/** What a person is asked before the wallet that waits, beside what they have agreed to. */
interface Question {
  connected: ConnectedWallet;
  agreed: Agreed;
  doubted: SendingJson['refunds'];
  others: OthersRefunds;
}

const NOTHING: Agreed = { addresses: new Set(), takenOver: new Set() };

/** The planned refunds of a network. The merchant's wallet sends the chosen ones by one signature, if it can. */
export function SendTogether({ network, refunds }: { network: Network; refunds: readonly RefundJson[] }) {
  const { t, locale } = useLanguage();
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const unsent = useUnsent(refunds.map(({ id }) => id));
  const chosen = refunds.filter(({ id }) => unsent.includes(id) && !leftOut.has(id));
  const toggle = (id: string) => {
    const next = new Set(leftOut);
    if (!next.delete(id)) next.add(id);
    setLeftOut(next);
  };
  return (
    <div className="grid gap-4">
      <RefundTable
        label={t('Refunds to send')}
        refunds={refunds}
        first={({ id, to }) => (
          <input
            type="checkbox"
            className="size-4 accent-accent"
            aria-label={t('Send to {address}', { address: to ?? '' })}
            checked={!leftOut.has(id)}
            onChange={() => toggle(id)}
          />
        )}
        state={(refund) => <SendState refund={refund} />}
      />
      {chosen.length > 0 && (
        <p className="text-sm tabular-nums">
          {t('{count} chosen: {amounts}', {
            count: chosen.length,
            amounts: sumsOf(chosen.map(({ asset, coin_amount: amount }) => ({ asset, amount })))
              .map(([asset, amount]) => assetAmount(locale, amount, asset))
              .join(', '),
          })}
        </p>
      )}
      {refunds[0]?.livemode ? (
        <ByWallet network={network} refunds={chosen} />
      ) : (
        <WithoutChain network={network} refunds={chosen} />
      )}
    </div>
  );
}

/** What the browser knows of a refund that it offered to a wallet. */
function SendState({ refund }: { refund: RefundJson }) {
  const t = useT();
  const { isSending, sent, isHandedOver } = useSentRefund(refund.id);
  if (sent) return <Badge tone="accent">{t('Sent')}</Badge>;
  if (isSending) return <Badge tone="accent">{t('In your wallet')}</Badge>;
  return isHandedOver ? <HandedOver keptAs={refund.id} /> : <Badge>{t('Planned')}</Badge>;
}

function ByWallet({ network, refunds }: { network: Network; refunds: readonly RefundJson[] }) {
  const { t, locale } = useLanguage();
  const { wallets, isReady, busy, error, foreign, question, start, send } = useBatch(network, refunds);
  const amountOf = (id: string) => {
    const refund = refunds.find((one) => one.id === id);
    return refund ? assetAmount(locale, refund.coin_amount, refund.asset) : id;
  };
  return (
    <div className="grid justify-items-start gap-3">
      {wallets.length === 0 && <Notice>{t('No wallet for this network was found in this browser.')}</Notice>}
      {foreign && (
        <Notice tone="warn">
          <p className="mb-2 [overflow-wrap:anywhere]">
            {t('Your wallet is connected with {address}, which isn’t one of your payout wallets.', {
              address: foreign.address,
            })}
          </p>
          <Button busy={busy} onClick={() => void send(foreign)}>
            {t('Send from it anyway')}
          </Button>
        </Notice>
      )}
      {question && question.doubted.length > 0 && (
        <Doubts
          refunds={question.doubted}
          busy={busy}
          onConfirm={() => void send(question.connected, agreedTo(question))}
        />
      )}
      {question && question.others.length > 0 && (
        <HeldByOthers
          others={question.others}
          amountOf={amountOf}
          busy={busy}
          onTakeOver={() => void send(question.connected, agreedTo(question))}
        />
      )}
      {wallets.map((wallet) => (
        <Button
          key={wallet.name}
          kind="primary"
          busy={busy}
          disabled={refunds.length === 0 || !isReady}
          onClick={() => void start(wallet)}
        >
          {t('Send {count} with {wallet}', { count: refunds.length, wallet: wallet.name })}
        </Button>
      ))}
      <p className="text-sm text-quiet">
        {t('A wallet that can batch asks for one signature. Others ask for one for each refund.')}
      </p>
      <Problem error={error} />
    </div>
  );
}

/** Addresses that no person has confirmed, before a wallet is asked. */
function Doubts({ refunds, busy, onConfirm }: { refunds: Question['doubted']; busy: boolean; onConfirm: () => void }) {
  const t = useT();
  return (
    <div className="grid justify-items-start gap-3">
      {refunds.map(({ id, to, warnings }) => (
        <div key={id} className="grid gap-2">
          <Copyable text={to} />
          <AddressWarnings warnings={warnings} />
        </div>
      ))}
      <Button busy={busy} onClick={onConfirm}>
        {t('The addresses are right: send')}
      </Button>
    </div>
  );
}

/** Test mode has no chain, so there is nothing to sign. */
function WithoutChain({ network, refunds }: { network: Network; refunds: readonly RefundJson[] }) {
  const t = useT();
  const record = useAct(async () => {
    for (const { id } of refunds)
      await post<RefundJson>(`/v1/refunds/${id}/sent`, { tx_hash: inventedHash({ receive_network: network }) });
  }, CHANGED);
  return (
    <div className="grid justify-items-start gap-3">
      <Notice>{t('Test mode: there is nothing to send. Continue and record the refund.')}</Notice>
      <Button
        kind="primary"
        busy={record.isPending}
        disabled={refunds.length === 0}
        onClick={() => record.mutate(undefined)}
      >
        {t('Record {count} as sent', { count: refunds.length })}
      </Button>
      <Problem error={record.error} />
    </div>
  );
}

/** The wallets of this browser for the network, and what happened since the merchant chose one. */
function useBatch(network: Network, refunds: readonly RefundJson[]) {
  const family = familyOf(network);
  const [wallets, setWallets] = useState<BrowserWallet[]>([]);
  const own = useList<PayoutWalletJson>('wallets', '/v1/payout-wallets');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // Connected with another account than a payout wallet's, so sending needs another confirmation.
  const [foreign, setForeign] = useState<ConnectedWallet | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  useEffect(() => watchWallets(setWallets), []);
  const attempt = async (act: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    setForeign(null);
    setQuestion(null);
    await act().catch(setError);
    setBusy(false);
  };
  // The list may have grown since: what is agreed to is what was shown.
  const sendAll = async (connected: ConnectedWallet, agreed: Agreed) => {
    const most = MAX_SENT_TOGETHER[family === 'solana' ? 'solana' : 'evm'];
    for (let at = 0; at < refunds.length; at += most) {
      const ids = refunds.slice(at, at + most).map(({ id }) => id);
      const plan = await post<SendingJson>('/dashboard/api/refunds/send', { refunds: ids, from: connected.address });
      const doubted = plan.refunds.filter(({ id, warnings }) => warnings.length > 0 && !agreed.addresses.has(id));
      const others = doubted.length > 0 ? [] : await sendPlanned(connected, plan, agreed);
      if (doubted.length + others.length > 0) return setQuestion({ connected, agreed, doubted, others });
    }
  };
  const isOwn = ({ address }: ConnectedWallet) =>
    own.items.some((wallet) => wallet.address === address || isSameEvm(wallet.address, address));
  return {
    wallets: wallets.filter((one) => one.family === family),
    // Before the payout wallets are known, each of them would be called a foreign one.
    isReady: !own.isPending,
    busy,
    error,
    foreign,
    question,
    send: (connected: ConnectedWallet, agreed = NOTHING) => attempt(() => sendAll(connected, agreed)),
    start: (wallet: BrowserWallet) =>
      attempt(async () => {
        const connected = await wallet.connect();
        if (isOwn(connected)) await sendAll(connected, NOTHING);
        else setForeign(connected);
      }),
  };
}

function isSameEvm(one: string, other: string): boolean {
  return one.startsWith('0x') && one.toLowerCase() === other.toLowerCase();
}

/** What was agreed to before, and what is confirmed now. */
function agreedTo({ agreed, doubted, others }: Question): Agreed {
  const more = (known: ReadonlySet<string>, shown: readonly { id: string }[]) =>
    new Set([...known, ...shown.map(({ id }) => id)]);
  return { addresses: more(agreed.addresses, doubted), takenOver: more(agreed.takenOver, others) };
}

async function sendPlanned(
  connected: ConnectedWallet,
  { refunds, transaction }: SendingJson,
  { takenOver }: Agreed,
): Promise<OthersRefunds> {
  const uris = refunds.flatMap(({ uri }) => uri ?? []);
  return sendHeld(
    refunds.map(({ id, to, coin_amount: amount }) => ({ id, to, amount })),
    { address: connected.address, takenOver },
    (sent) => connected.sendAll({ uris, count: refunds.length, transactions: transaction ? [transaction] : [] }, sent),
  );
}
