import { MAX_SENT_TOGETHER } from '@quittance/contract/statuses';
import { familyOf } from '../../../networks/networks.ts';
import { post } from '../../lib/api.ts';
import { assetAmount } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { holdOfRefunds, sendHeld } from '../../lib/send-held.ts';
import type { RefundJson, SendingJson } from '../../lib/types.ts';
import type { ConnectedWallet } from '../../lib/wallets.ts';
import { HeldByOthers } from '../outgoing/wallet-notices.tsx';
import { SendChosen } from '../outgoing/send-chosen.tsx';
import type { Agreed, Question } from '../outgoing/use-sending.ts';
import { CHANGED } from '../payment/record-refund.tsx';
import { RefundTable } from './refund-table.tsx';

/** The planned refunds of a network. */
export function SendTogether({ network, refunds }: { network: RefundJson['network']; refunds: readonly RefundJson[] }) {
  const { t, locale } = useLanguage();
  const amountOf = (id: string) => {
    const refund = refunds.find((one) => one.id === id);
    return refund ? assetAmount(locale, refund.coin_amount, refund.asset) : id;
  };
  return (
    <SendChosen
      network={network}
      livemode={refunds[0]?.livemode === true}
      planned={refunds.map(({ id, to, coin_amount: amount, asset }) => ({ id, to: to ?? '', amount, asset }))}
      table={(box, state) => (
        <RefundTable label={t('Refunds to send')} refunds={refunds} first={box} state={({ id }) => state(id)} />
      )}
      most={MAX_SENT_TOGETHER[familyOf(network) === 'solana' ? 'solana' : 'evm']}
      send={sendRefunds}
      record={recordRefunds}
      changed={CHANGED}
      held={(others, takeOver) => <HeldByOthers others={others} amountOf={amountOf} onTakeOver={takeOver} />}
      texts={{
        noWallet: t('No wallet for this network was found in this browser.'),
        signatures: t('A wallet that can batch asks for one signature. Others ask for one for each refund.'),
        testMode: t('Test mode: there is nothing to send. Continue and record the refund.'),
      }}
    />
  );
}

/** A key may have named any address, so a person agrees to those that no person has confirmed. */
async function sendRefunds(
  { address, sendAll }: ConnectedWallet,
  ids: readonly string[],
  { addresses, takenOver }: Agreed,
): Promise<Question | null> {
  const plan = await post<SendingJson>('/dashboard/api/refunds/send', { refunds: ids, from: address });
  const doubted = plan.refunds.filter(({ id, warnings }) => warnings.length > 0 && !addresses.has(id));
  if (doubted.length > 0) return { doubted, others: [] };
  const others = await sendHeld(
    plan.refunds.map(({ id, to, coin_amount: amount }) => ({ id, to, amount })),
    holdOfRefunds(address),
    takenOver,
    (sent) =>
      sendAll(
        {
          uris: plan.refunds.flatMap(({ uri }) => uri ?? []),
          count: plan.refunds.length,
          transactions: plan.transaction === null ? [] : [plan.transaction],
        },
        sent,
      ),
  );
  return others.length > 0 ? { doubted, others } : null;
}

export async function recordRefunds(ids: readonly string[], hash: string): Promise<void> {
  for (const id of ids) await post<RefundJson>(`/v1/refunds/${id}/sent`, { tx_hash: hash });
}
