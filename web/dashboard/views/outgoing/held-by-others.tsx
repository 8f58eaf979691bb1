import { instant, shorten } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import type { Others } from '../../lib/send-held.ts';
import { Button, Notice } from '../../ui/basic.tsx';

/** Whose wallets have refunds that were to be sent here, and until when. */
export function HeldByOthers({
  others,
  amountOf,
  onTakeOver,
}: {
  others: Others;
  amountOf: (refund: string) => string;
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
