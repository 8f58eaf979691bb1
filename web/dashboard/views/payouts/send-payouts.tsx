import { MAX_PAYOUTS_TOGETHER } from '@quittance/contract/statuses';
import { useEffect, useRef, useState } from 'react';
import { familyOf } from '../../../networks/networks.ts';
import { ApiError, post } from '../../lib/api.ts';
import { browserName } from '../../lib/browser-name.ts';
import { assetAmount, instant } from '../../lib/format.ts';
import { useLanguage, useT } from '../../lib/i18n.tsx';
import { forgetSent, sendTogether, useKept, useSentHashes, useSentRefund, useUnsent } from '../../lib/sent-refunds.ts';
import { useAct, useList } from '../../lib/state.tsx';
import { sumsOf } from '../../lib/sums.ts';
import type { PayoutJson, PayoutSendingJson, PayoutWalletJson } from '../../lib/types.ts';
import { type BrowserWallet, type ConnectedWallet, watchWallets } from '../../lib/wallets.ts';
import { Badge, Button, Notice, Problem } from '../../ui/basic.tsx';
import { inventedHash } from '../payment/record-refund.tsx';
import { HandedOver } from '../payment/send-by.tsx';
import { PayoutTable } from './payout-table.tsx';

type Network = PayoutJson['network'];

/** The planned payouts of a network. The merchant's wallet sends the chosen ones by one signature, if it can. */
export function SendPayouts({ network, payouts }: { network: Network; payouts: readonly PayoutJson[] }) {
  const { t, locale } = useLanguage();
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const ids = payouts.map(({ id }) => id);
  const unsent = useUnsent(ids);
  const chosen = payouts.filter(({ id }) => unsent.includes(id) && !leftOut.has(id));
  const toggle = (id: string) => {
    const next = new Set(leftOut);
    if (!next.delete(id)) next.add(id);
    setLeftOut(next);
  };
  return (
    <div className="grid gap-4">
      <PayoutTable
        label={t('Payouts to send')}
        payouts={payouts}
        state={(payout) => (
          <span className="inline-flex items-center gap-2.5">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              aria-label={t('Send to {address}', { address: payout.to })}
              checked={!leftOut.has(payout.id)}
              onChange={() => toggle(payout.id)}
            />
            <SendState payout={payout} />
          </span>
        )}
      />
      {chosen.length > 0 && (
        <p className="text-sm tabular-nums">
          {t('{count} chosen: {amounts}', {
            count: chosen.length,
            amounts: sumsOf(chosen)
              .map(([asset, amount]) => assetAmount(locale, amount, asset))
              .join(', '),
          })}
        </p>
      )}
      {payouts[0]?.livemode ? (
        <ByWallet network={network} payouts={chosen} />
      ) : (
        <WithoutChain network={network} payouts={chosen} />
      )}
    </div>
  );
}

/** What the browser knows of a payout that it offered to a wallet. */
function SendState({ payout }: { payout: PayoutJson }) {
  const t = useT();
  const { isSending, sent, isHandedOver } = useSentRefund(payout.id);
  if (sent) return <Badge tone="accent">{t('Sent')}</Badge>;
  if (isSending) return <Badge tone="accent">{t('In your wallet')}</Badge>;
  return isHandedOver ? <HandedOver keptAs={payout.id} /> : <Badge>{t('Planned')}</Badge>;
}

/**
 * Names the transactions that a wallet of this browser sent, those of one transaction together, also of payouts that are
 * in no list because they were cancelled, or sent by another browser, meanwhile.
 */
export function KeptPayouts() {
  const sent = useSentHashes(useKept('po'));
  const report = useAct(
    async (all: typeof sent) => {
      let failed: unknown = null;
      for (const hash of new Set(all.map(([, one]) => one))) {
        const payouts = all.flatMap(([id, one]) => (one === hash ? [id] : []));
        try {
          await post('/dashboard/api/payouts/sent', { payouts, tx_hash: hash });
          for (const id of payouts) forgetSent(id);
        } catch (error) {
          // Another account, or the other mode, may have sent from this browser too.
          if (!(error instanceof ApiError && error.status === 404)) failed ??= error;
        }
      }
      if (failed !== null) throw failed;
    },
    ['payouts'],
  );
  const tried = useRef('');
  const key = JSON.stringify(sent);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for what is known, and for what came meanwhile
  useEffect(() => {
    if (sent.length === 0 || report.isPending || tried.current === key) return;
    tried.current = key;
    report.mutate(sent);
  }, [key, report.isPending]);
  return <Problem error={report.error} />;
}

function ByWallet({ network, payouts }: { network: Network; payouts: readonly PayoutJson[] }) {
  const { t, locale } = useLanguage();
  const { wallets, busy, error, foreign, held, start, send } = useSending(network, payouts);
  const [first] = held?.others ?? [];
  return (
    <div className="grid justify-items-start gap-3">
      {wallets.length === 0 && (
        <Notice>
          {t('No wallet for this network was found in this browser.')}{' '}
          {t('Send them elsewhere, and name the transaction of each in its details.')}
        </Notice>
      )}
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
      {held && first && (
        <Notice tone="warn">
          <p className="mb-2 [overflow-wrap:anywhere]">
            {t('Another browser gave {count} of these to its wallet {address}, which has them until {time}.', {
              count: held.others.length,
              address: first.address,
              time: instant(locale, first.until),
            })}
          </p>
          <Button busy={busy} onClick={() => void send(held.connected, true)}>
            {t('That wallet hasn’t sent them: send')}
          </Button>
        </Notice>
      )}
      {wallets.map((wallet) => (
        <Button
          key={wallet.name}
          kind="primary"
          busy={busy}
          disabled={payouts.length === 0}
          onClick={() => void start(wallet)}
        >
          {t('Send {count} with {wallet}', { count: payouts.length, wallet: wallet.name })}
        </Button>
      ))}
      <p className="text-sm text-quiet">
        {t('A wallet that can batch asks for one signature. Others ask for one for each payout.')}
      </p>
      <Problem error={error} />
    </div>
  );
}

/** Test mode has no chain, so there is nothing to sign. */
function WithoutChain({ network, payouts }: { network: Network; payouts: readonly PayoutJson[] }) {
  const t = useT();
  const record = useAct(
    () =>
      post('/dashboard/api/payouts/sent', {
        payouts: payouts.map(({ id }) => id),
        tx_hash: inventedHash({ receive_network: network }),
      }),
    ['payouts'],
  );
  return (
    <div className="grid justify-items-start gap-3">
      <Notice>{t('Test mode: there is nothing to send. Continue and record the payouts.')}</Notice>
      <Button
        kind="primary"
        busy={record.isPending}
        disabled={payouts.length === 0}
        onClick={() => record.mutate(undefined)}
      >
        {t('Record {count} as sent', { count: payouts.length })}
      </Button>
      <Problem error={record.error} />
    </div>
  );
}

/** Payouts that another browser has given to its wallet, and the wallet that waits here. */
interface Held {
  connected: ConnectedWallet;
  others: PayoutSendingJson['others'];
}

/** The wallets of this browser for the network, and what happened since the merchant chose one. */
function useSending(network: Network, payouts: readonly PayoutJson[]) {
  const family = familyOf(network);
  const [wallets, setWallets] = useState<BrowserWallet[]>([]);
  const own = useList<PayoutWalletJson>('wallets', '/v1/payout-wallets');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // Connected with another account than a payout wallet's, so sending needs another confirmation.
  const [foreign, setForeign] = useState<ConnectedWallet | null>(null);
  const [held, setHeld] = useState<Held | null>(null);
  useEffect(() => watchWallets(setWallets), []);
  const attempt = async (act: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    setForeign(null);
    setHeld(null);
    await act().catch(setError);
    setBusy(false);
  };
  const sendAll = async (connected: ConnectedWallet, isTakenOver: boolean) => {
    for (let at = 0; at < payouts.length; at += MAX_PAYOUTS_TOGETHER) {
      const group = payouts.slice(at, at + MAX_PAYOUTS_TOGETHER);
      const others = await sendGroup(connected, group, isTakenOver);
      if (others.length > 0) return setHeld({ connected, others });
    }
  };
  const isOwn = ({ address }: ConnectedWallet) =>
    own.items.some((wallet) => wallet.address.toLowerCase() === address.toLowerCase());
  return {
    wallets: wallets.filter((one) => one.family === family),
    busy,
    error,
    foreign,
    held,
    send: (connected: ConnectedWallet, isTakenOver = false) => attempt(() => sendAll(connected, isTakenOver)),
    start: (wallet: BrowserWallet) =>
      attempt(async () => {
        const connected = await wallet.connect();
        if (isOwn(connected)) await sendAll(connected, false);
        else setForeign(connected);
      }),
  };
}

/** One request to the wallet. Returns what other browsers have, if that is why it was not asked. */
async function sendGroup(
  connected: ConnectedWallet,
  group: readonly PayoutJson[],
  isTakenOver: boolean,
): Promise<PayoutSendingJson['others']> {
  try {
    await sendTogether(group, async (sent) => {
      const { payouts, transactions, others } = await post<PayoutSendingJson>('/dashboard/api/payouts/send', {
        payouts: group.map(({ id }) => id),
        from: connected.address,
        holder: browserName(),
        take_over: isTakenOver,
      });
      if (others.length > 0) throw new HeldError(others);
      const uris = payouts.flatMap(({ uri }) => uri ?? []);
      await connected.sendAll({ uris, count: payouts.length, transactions }, sent);
    });
    return [];
  } catch (error) {
    if (error instanceof HeldError) return error.others;
    throw error;
  }
}

class HeldError extends Error {
  readonly others: PayoutSendingJson['others'];

  constructor(others: PayoutSendingJson['others']) {
    super('Wallets of other browsers have some of these payouts.');
    this.others = others;
  }
}
