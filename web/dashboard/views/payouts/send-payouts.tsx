import { MAX_PAYOUTS_TOGETHER } from '@quittance/contract/statuses';
import { post } from '../../lib/api.ts';
import { instant } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { holdOfPayouts, type Others, sendHeld } from '../../lib/send-held.ts';
import type { PayoutJson } from '../../lib/types.ts';
import type { ConnectedWallet } from '../../lib/wallets.ts';
import { Button, Notice } from '../../ui/basic.tsx';
import { SendChosen } from '../outgoing/send-chosen.tsx';
import type { Agreed } from '../outgoing/use-sending.ts';
import { PAYOUTS_CHANGED, PayoutTable } from './payout-table.tsx';

/** The planned payouts of a network. */
export function SendPayouts({ network, payouts }: { network: PayoutJson['network']; payouts: readonly PayoutJson[] }) {
  const { t } = useLanguage();
  const send = async ({ address, sendAll }: ConnectedWallet, ids: readonly string[], { takenOver }: Agreed) => {
    const group = payouts.filter(({ id }) => ids.includes(id));
    const others = await sendHeld(group, holdOfPayouts(address), takenOver, (sent, { payouts, transactions }) =>
      sendAll({ uris: payouts.flatMap(({ uri }) => uri ?? []), count: payouts.length, transactions }, sent),
    );
    return others.length > 0 ? { doubted: [], others } : null;
  };
  return (
    <SendChosen
      network={network}
      livemode={payouts[0]?.livemode === true}
      planned={payouts}
      table={(box, state) => (
        <PayoutTable
          label={t('Payouts to send')}
          payouts={payouts}
          state={(payout) => (
            <span className="inline-flex items-center gap-2.5">
              {box(payout)}
              {state(payout.id)}
            </span>
          )}
        />
      )}
      most={MAX_PAYOUTS_TOGETHER}
      send={send}
      record={recordPayouts}
      changed={PAYOUTS_CHANGED}
      held={(others, takeOver) => <HeldPayouts others={others} onTakeOver={takeOver} />}
      texts={{
        noWallet: [
          t('No wallet for this network was found in this browser.'),
          t('Send them elsewhere, and name the transaction of each in its details.'),
        ].join(' '),
        signatures: t('A wallet that can batch asks for one signature. Others ask for one for each payout.'),
        testMode: t('Test mode: there is nothing to send. Continue and record the payouts.'),
      }}
    />
  );
}

/** Another browser may have given hundreds to its wallet, so they are counted. */
function HeldPayouts({ others, onTakeOver }: { others: Others; onTakeOver: () => void }) {
  const { t, locale } = useLanguage();
  const [first] = others;
  return (
    first && (
      <Notice tone="warn">
        <p className="mb-2 [overflow-wrap:anywhere]">
          {t('Another browser gave {count} of these to its wallet {address}, which has them until {time}.', {
            count: others.length,
            address: first.address,
            time: instant(locale, first.until),
          })}
        </p>
        <Button onClick={onTakeOver}>{t('That wallet hasn’t sent them: send')}</Button>
      </Notice>
    )
  );
}

export async function recordPayouts(payouts: readonly string[], hash: string): Promise<void> {
  await post('/dashboard/api/payouts/sent', { payouts, tx_hash: hash });
}
