import { explorerLink } from '../../../networks/networks.ts';
import { shorten } from '../../lib/format.ts';
import { useT } from '../../lib/i18n.tsx';
import { Copyable } from '../../ui/basic.tsx';

/** A transaction's hash with a copy button and a link to a block explorer. */
export function Hash({
  hash,
  network,
  livemode,
  ends = 6,
}: {
  hash: string;
  network: string;
  livemode: boolean;
  ends?: number;
}) {
  const t = useT();
  const url = livemode ? explorerLink(network, hash) : null;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Copyable text={hash} shown={shorten(hash, ends)} />
      {url && (
        <a href={url} target="_blank" rel="noreferrer noopener" className="text-accent hover:underline">
          {t('Explorer')}
        </a>
      )}
    </span>
  );
}
