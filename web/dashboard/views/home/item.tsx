import type { ReactNode } from 'react';
import { instant } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { useAgo } from '../../lib/state.tsx';
import { buttonClass, When } from '../../ui/basic.tsx';

/** A link that is clicked anywhere in its item. What has a click of its own there is `relative`, which lies above it. */
export const WHOLE = 'font-medium after:absolute after:inset-0 hover:underline';
export const AMOUNT = 'text-base font-semibold tabular-nums';

/** What it is; below it the age, the reason and the amount that arrived. */
export function Item({
  children,
  reason,
  amount,
  at,
  action,
}: {
  children: ReactNode;
  reason: string;
  amount?: string | null;
  at?: string;
  /** What the merchant does there. It looks like a button and belongs to the link of the item. */
  action?: string;
}) {
  const { locale } = useLanguage();
  const agoOf = useAgo();
  return (
    <li className="relative flex items-center justify-between gap-4 text-sm [overflow-wrap:anywhere]">
      <div className="min-w-0">
        <p>{children}</p>
        <p className="text-quiet">
          {at && (
            <>
              <When at={at}>{agoOf(at) ?? instant(locale, at)}</When> ·{' '}
            </>
          )}
          {reason}
          {amount && (
            <>
              {' '}
              <span className="whitespace-nowrap tabular-nums">{amount}</span>
            </>
          )}
        </p>
      </div>
      {action && (
        <span aria-hidden="true" className={`${buttonClass()} shrink-0`}>
          {action}
        </span>
      )}
    </li>
  );
}
