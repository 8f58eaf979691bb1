import { familyOf } from '../../../networks/networks.ts';
import { useEffect, useRef, useState } from 'react';
import { post } from '../../lib/api.ts';
import { assetAmount } from '../../lib/format.ts';
import { useLanguage, useT } from '../../lib/i18n.tsx';
import type { PaymentJson } from '../../lib/types.ts';
import { type OthersRefunds, sendHeld } from '../../lib/held-refunds.ts';
import { forgetSent, sendOnce, useSentRefund } from '../../lib/sent-refunds.ts';
import { type BrowserWallet, type ConnectedWallet, watchWallets } from '../../lib/wallets.ts';
import { Badge, Button, Notice, Problem } from '../../ui/basic.tsx';
import { QrCode } from '../../ui/qr.tsx';
import { HeldByOthers } from './held-by-others.tsx';

interface SendOrder {
  uri: string;
  transfer: { to: string; amount: string };
  payment: PaymentJson;
  /** A planned refund, which other browsers may send too. The browser keeps any other by its payment. */
  refund?: string;
  onSent?: () => void;
}

/** Lets a wallet of this browser sign and send it, or shows it as a code for another one. */
export function SendBy(order: SendOrder) {
  const { uri, transfer, payment } = order;
  const { t, locale } = useLanguage();
  const { keptAs, wallets, busy, isHandedOver, connecting, error, foreign, held, start, send } = useSending(order);
  if (isHandedOver) return <HandedOver keptAs={keptAs} />;
  return (
    <div className="grid gap-4 rounded-xl border border-line p-4 sm:grid-cols-[auto_1fr] sm:items-center">
      <QrCode text={uri} label={t('QR code of the refund for your wallet')} className="w-32" />
      <div className="grid gap-2">
        <p className="text-sm text-quiet">
          {t('Scan it with the wallet that holds the funds, or send from this browser.')}
        </p>
        {wallets.map((wallet) => (
          <Button
            key={wallet.name}
            kind="primary"
            busy={busy || connecting === wallet.name}
            onClick={() => void start(wallet)}
          >
            {t('Send with {wallet}', { wallet: wallet.name })}
          </Button>
        ))}
        {foreign && (
          <Notice tone="warn">
            <p className="mb-2 [overflow-wrap:anywhere]">
              {t('Your wallet is connected with {address}, which isn’t the payout wallet of this payment.', {
                address: foreign.address,
              })}
            </p>
            <Button busy={busy} onClick={() => void send(foreign)}>
              {t('Send from it anyway')}
            </Button>
          </Notice>
        )}
        {held && (
          <HeldByOthers
            {...held}
            amountOf={() => assetAmount(locale, transfer.amount, payment.receive_asset)}
            busy={busy}
            onTakeOver={(takenOver) => void send(held.connected, takenOver)}
          />
        )}
        <p className="text-sm">
          <a href={uri} className="text-accent underline">
            {t('Open in a wallet on this device')}
          </a>
        </p>
        <Problem error={error} />
      </div>
    </div>
  );
}

/** A wallet has it and has not said what became of it. It is offered again once the merchant has looked there. */
export function HandedOver({ keptAs }: { keptAs: string }) {
  const t = useT();
  return (
    <div className="grid justify-items-start gap-2">
      <Badge tone="warn">{t('Your wallet had it: look there first')}</Badge>
      <Button kind="quiet" onClick={() => forgetSent(keptAs)}>
        {t('It wasn’t sent')}
      </Button>
    </div>
  );
}

/** The wallets that can send it, and what happened since the merchant chose one. */
function useSending(order: SendOrder) {
  const { payment, refund } = order;
  const keptAs = refund ?? payment.id;
  const [wallets, setWallets] = useState<BrowserWallet[]>([]);
  const { isSending: busy, isHandedOver } = useSentRefund(keptAs);
  const [error, setError] = useState<unknown>(null);
  // Connected with another account than the payout wallet's, so sending needs another confirmation.
  const [foreign, setForeign] = useState<ConnectedWallet | null>(null);
  const [held, setHeld] = useState<{ connected: ConnectedWallet; others: OthersRefunds } | null>(null);
  const [connecting, setConnecting] = useState<string | null>(null);
  // A wallet may connect after the dialog was closed, or after another amount or wallet was chosen.
  const attempt = useRef(0);
  useEffect(
    () => () => {
      attempt.current += 1;
    },
    [],
  );
  useEffect(() => watchWallets(setWallets), []);
  const family = familyOf(payment.receive_network);
  const send = async (connected: ConnectedWallet, takenOver: ReadonlySet<string> = new Set()) => {
    setError(null);
    setHeld(null);
    try {
      const others = await sendOne(order, connected, takenOver);
      if (others.length > 0) setHeld({ connected, others });
    } catch (refused) {
      setError(refused);
    }
  };
  // Only the sending holds the dialog: a wallet may never answer whether it connects.
  const start = async (wallet: BrowserWallet) => {
    attempt.current += 1;
    const own = attempt.current;
    setError(null);
    setForeign(null);
    setHeld(null);
    setConnecting(wallet.name);
    try {
      const connected = await wallet.connect();
      if (attempt.current !== own) return;
      setConnecting(null);
      if (isPayoutWallet(connected, payment)) await send(connected);
      else setForeign(connected);
    } catch (refused) {
      if (attempt.current !== own) return;
      setConnecting(null);
      setError(refused);
    }
  };
  return {
    keptAs,
    wallets: wallets.filter((one) => one.family === family),
    busy,
    isHandedOver,
    connecting,
    error,
    foreign,
    held,
    start,
    send,
  };
}

/** Returns who has it instead, if no wallet was asked because another browser has given it to its own. */
async function sendOne(
  { uri, payment, refund, transfer, onSent }: SendOrder,
  connected: ConnectedWallet,
  takenOver: ReadonlySet<string>,
): Promise<OthersRefunds> {
  const build = async (from: string) => {
    const asked = { from, ...transfer };
    const path = `/dashboard/api/payments/${payment.id}/refund-transaction`;
    return (await post<{ transaction: string }>(path, asked)).transaction;
  };
  const send = () => connected.send({ uri, build });
  const { address } = connected;
  if (refund !== undefined)
    return sendHeld([{ id: refund, ...transfer }], { address, takenOver }, async (sent) => sent(0, await send()));
  await sendOnce(payment.id, async () => {
    const hash = await send();
    onSent?.();
    return { hash, ...transfer };
  });
  return [];
}

function isPayoutWallet({ address }: ConnectedWallet, payment: PaymentJson): boolean {
  return payment.receive_network === 'solana'
    ? address === payment.receive_address
    : address.toLowerCase() === payment.receive_address.toLowerCase();
}
