import { post } from '../../lib/api.ts';
import { assetAmount } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { holdOfRefunds, sendHeld } from '../../lib/send-held.ts';
import { sendOnce, useSent } from '../../lib/sent-by-wallets.ts';
import type { PaymentJson } from '../../lib/types.ts';
import type { ConnectedWallet } from '../../lib/wallets.ts';
import { Button, Problem } from '../../ui/basic.tsx';
import { QrCode } from '../../ui/qr.tsx';
import { ForeignWallet, HandedOver, HeldByOthers } from '../outgoing/wallet-notices.tsx';
import { isSameAddress, type Question, useSending } from '../outgoing/use-sending.ts';

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
  const { uri, transfer, payment, refund } = order;
  const { t, locale } = useLanguage();
  const keptAs = refund ?? payment.id;
  const { isSending, isHandedOver } = useSent(keptAs);
  const { wallets, connecting, error, foreign, asked, start, sendFrom, agree } = useSending(
    payment.receive_network,
    (address) => isSameAddress(payment.receive_address, address),
    (connected, { takenOver }) => sendOne(order, connected, takenOver),
  );
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
            busy={isSending || connecting === wallet.name}
            onClick={() => void start(wallet)}
          >
            {t('Send with {wallet}', { wallet: wallet.name })}
          </Button>
        ))}
        {foreign && (
          <ForeignWallet onSend={() => void sendFrom(foreign)}>
            {t('Your wallet is connected with {address}, which isn’t the payout wallet of this payment.', {
              address: foreign.address,
            })}
          </ForeignWallet>
        )}
        {asked && (
          <HeldByOthers
            others={asked.others}
            amountOf={() => assetAmount(locale, transfer.amount, payment.receive_asset)}
            onTakeOver={() => void agree()}
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

/** Returns who has it instead, if no wallet was asked because another browser has given it to its own. */
async function sendOne(
  { uri, payment, refund, transfer, onSent }: SendOrder,
  connected: ConnectedWallet,
  takenOver: ReadonlySet<string>,
): Promise<Question | null> {
  const build = async (from: string) => {
    const asked = { from, ...transfer };
    const path = `/dashboard/api/payments/${payment.id}/refund-transaction`;
    return (await post<{ transaction: string }>(path, asked)).transaction;
  };
  const send = () => connected.send({ uri, build });
  if (refund !== undefined) {
    const hold = holdOfRefunds(connected.address);
    const others = await sendHeld([{ id: refund, ...transfer }], hold, takenOver, async (sent) =>
      sent(0, await send()),
    );
    return others.length > 0 ? { doubted: [], others } : null;
  }
  await sendOnce(payment.id, async () => {
    const hash = await send();
    onSent?.();
    return { hash, ...transfer };
  });
  return null;
}
