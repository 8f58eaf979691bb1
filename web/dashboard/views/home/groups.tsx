import type { ReactNode } from 'react';
import { useLanguage } from '../../lib/i18n.tsx';
import { Badge, Card } from '../../ui/basic.tsx';
import { Icon } from '../../ui/icon.tsx';

export interface Group {
  name: string;
  items: ReactNode[];
  /** The link to those that are not shown. */
  more: ReactNode;
  count?: number | undefined;
}

/** What needs the merchant, by kind. */
export function Groups({ groups }: { groups: readonly Group[] }) {
  const { t } = useLanguage();
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          <span className="text-warn">
            <Icon name="alert" />
          </span>
          {t('Needs attention')}
        </span>
      }
    >
      <div className="grid gap-4">
        {groups.map(({ name, items, more, count = items.length }) => (
          <section key={name} aria-label={name}>
            <h3 className="mb-1.5 flex items-center gap-2 text-xs font-medium text-quiet">
              {name}
              <Badge tone="warn">{more ? `${count}+` : count}</Badge>
              {more}
            </h3>
            <ul className="grid gap-3">{items}</ul>
          </section>
        ))}
      </div>
    </Card>
  );
}
