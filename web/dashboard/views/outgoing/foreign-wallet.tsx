import type { ReactNode } from 'react';
import { useT } from '../../lib/i18n.tsx';
import { Button, Notice } from '../../ui/basic.tsx';

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
