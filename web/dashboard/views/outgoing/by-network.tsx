import type { ReactNode } from 'react';
import { networkName } from '../../../networks/networks.ts';
import type { List } from '../../lib/state.tsx';
import { Card } from '../../ui/basic.tsx';
import { ListCard, LoadMore } from '../../ui/listing.tsx';

/** A card for each network of what is planned there. */
export function ByNetwork<One extends { network: string }>({
  list,
  empty,
  children,
}: {
  list: Omit<List, 'items'> & { items: One[] };
  empty: ReactNode;
  children: (network: One['network'], planned: One[]) => ReactNode;
}) {
  const networks = [...new Set(list.items.map(({ network }) => network))];
  if (list.isPending || list.isLoadingError || networks.length === 0)
    return (
      <ListCard list={list} empty={empty}>
        {null}
      </ListCard>
    );
  return (
    <div className="grid gap-4">
      {networks.map((network) => (
        <Card key={network} title={networkName(network)}>
          {children(
            network,
            list.items.filter((one) => one.network === network),
          )}
        </Card>
      ))}
      <LoadMore list={list} />
    </div>
  );
}
