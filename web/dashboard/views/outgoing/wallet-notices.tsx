import type { ReactNode } from 'react';
import { instant, shorten } from '../../lib/format.ts';
import { useLanguage, useT } from '../../lib/i18n.tsx';
import type { Others } from '../../lib/send-held.ts';
import { forgetSent } from '../../lib/sent-by-wallets.ts';
import { Badge, Button, Notice } from '../../ui/basic.tsx';

/** The wallet is connected with an account that the merchant did not save. */
export function ForeignWallet({ children, onSend }: { children: ReactNode; onSend: () => void }) {
  const t = useT();
  return (
    <Notice tone="warn">
      <p className="mb-2 [overflow-wrap:anywhere]">{children}</p>
      <Button onClick={onSend}>{t('Send from it anyway')}</Button>
    </Notice>
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

/** Whose wallets have refunds or payouts that were to be sent here, and until when. */
export function HeldByOthers({
  others,
  amountOf,
  onTakeOver,
}: {
  others: Others;
  amountOf: (id: string) => string;
  onTakeOver: () => void;
}) {
  const { t, locale } = useLanguage();
  const addresses = [...new Set(others.map(({ address }) => address))];
  return (
    <Notice tone="warn">
      {addresses.map((address) => {
        const own = others.filter((one) => one.address === address);
        return (
          <p key={address} className="mb-2 [overflow-wrap:anywhere]">
            {t('Another browser has asked the wallet {address} to send {amounts}, and waits for it until {time}.', {
              address: shorten(address),
              amounts: own.map(({ id }) => amountOf(id)).join(', '),
              time: instant(
                locale,
                own
                  .map(({ until }) => until)
                  .sort()
                  .at(-1) ?? '',
              ),
            })}
          </p>
        );
      })}
      <p className="mb-2">{t('Look there first. If both wallets send it, the money is gone twice.')}</p>
      <Button onClick={onTakeOver}>{t('Send here instead')}</Button>
    </Notice>
  );
}
