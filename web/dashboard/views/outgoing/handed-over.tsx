import { useT } from '../../lib/i18n.tsx';
import { forgetSent } from '../../lib/sent-refunds.ts';
import { Badge, Button } from '../../ui/basic.tsx';

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
