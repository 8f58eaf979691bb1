import { useEffect, useRef } from 'react';
import { isNotFound } from '../../lib/api.ts';
import { forgetSent, useKept, useSentHashes } from '../../lib/sent-by-wallets.ts';
import { useAct } from '../../lib/state.tsx';
import { Problem } from '../../ui/basic.tsx';

/**
 * Names the transactions that a wallet of this browser sent, also of refunds or payouts that are in no list because they
 * were cancelled, or sent by another browser, meanwhile. `record` names one for those that it sent.
 */
export function KeptSent({
  kind,
  record,
  changed,
}: {
  kind: 'rf' | 'po';
  record: (ids: readonly string[], hash: string) => Promise<unknown>;
  changed: readonly string[];
}) {
  const sent = useSentHashes(useKept(kind));
  const report = useAct(async (all: typeof sent) => {
    let failed: unknown = null;
    for (const hash of new Set(all.map(([, one]) => one))) {
      const ids = all.flatMap(([id, one]) => (one === hash ? [id] : []));
      // A refund is recorded by itself, so one that the service refuses does not hold up the others.
      for (const group of kind === 'po' ? [ids] : ids.map((id) => [id]))
        try {
          await record(group, hash);
          for (const id of group) forgetSent(id);
        } catch (error) {
          // Another account, or the other mode, may have sent from this browser too.
          if (!isNotFound(error)) failed ??= error;
        }
    }
    if (failed !== null) throw failed;
  }, changed);
  const tried = useRef('');
  const key = JSON.stringify(sent);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for what is known, and for what came meanwhile
  useEffect(() => {
    if (sent.length === 0 || report.isPending || tried.current === key) return;
    tried.current = key;
    report.mutate(sent);
  }, [key, report.isPending]);
  return <Problem error={report.error} />;
}
