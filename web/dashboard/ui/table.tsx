import type { ReactNode } from 'react';
import { useT } from '../lib/i18n.tsx';

/** A table whose rows become two lines on a phone (`.rows`). */
export function Table({ label, heads, children }: { label: string; heads: readonly ReactNode[]; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="relative overflow-x-auto" tabIndex={0} aria-label={label}>
      <table className="rows w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line text-start text-xs text-quiet">
            {heads.map((head, at) => (
              <th
                key={at}
                scope="col"
                className="px-4 py-2.5 first:ps-5 last:pe-5 text-start font-medium whitespace-nowrap"
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">{children}</tbody>
      </table>
    </section>
  );
}

/** The head of the column of buttons, for those who hear the table. */
export function ActionsHead() {
  const t = useT();
  return <span className="sr-only">{t('Actions')}</span>;
}

/** `label` names a number on a phone, where the heads are not shown. */
export function Cell({
  children,
  className = '',
  label,
}: {
  children?: ReactNode;
  className?: string;
  label?: string;
}) {
  return (
    <td className={`px-4 py-3 align-middle first:ps-5 last:pe-5 ${className}`}>
      {label && <span className="sm:hidden">{label} </span>}
      {children}
    </td>
  );
}
