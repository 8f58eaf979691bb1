import { type DragEvent, useState } from 'react';
import { networkName } from '../../../networks/networks.ts';
import { post } from '../../lib/api.ts';
import { assetAmount } from '../../lib/format.ts';
import { useLanguage, useT } from '../../lib/i18n.tsx';
import { newName } from '../../lib/made-up.ts';
import { useAct } from '../../lib/state.tsx';
import { sumsOf } from '../../lib/sums.ts';
import type { PayoutCheckJson, PayoutLineJson } from '../../lib/types.ts';
import { Badge, Button, Copyable, Field, Notice, Problem } from '../../ui/basic.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { PAYOUTS_CHANGED } from './payout-table.tsx';

const FILE =
  'text-sm text-quiet file:me-3 file:min-h-9 file:rounded-lg file:border file:border-line file:bg-surface file:px-3.5 file:text-ink';
const SAMPLE = 'address,asset,network,amount,note';

/** A CSV is pasted, dropped or chosen, then looked at line by line, then imported whole or not at all. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const t = useT();
  const [csv, setCsv] = useState('');
  // A repeated request of the same import adds nothing.
  const [name, setName] = useState(newName);
  const look = useAct((text: string) => post<PayoutCheckJson>('/dashboard/api/payouts/check', { csv: text }), []);
  const save = useAct(() => post('/dashboard/api/payouts', { csv, import: name }), PAYOUTS_CHANGED);
  const change = (text: string) => {
    setCsv(text);
    setName(newName());
    // Also if it is still under way: it is about another text.
    look.reset();
  };
  const read = async (file: File | undefined) => {
    if (file) change(await file.text());
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void read(event.dataTransfer.files[0]);
  };
  const check = look.data;
  const isReady = check?.problems.length === 0;
  return (
    <Dialog title={t('Import payouts')} onClose={onClose} wide isHeld={save.isPending}>
      <div className="grid gap-4">
        <Field label="CSV" hint={t('Paste it, drop a file here, or choose one. Nothing is sent by it.')}>
          {(control) => (
            <textarea
              {...control}
              rows={6}
              dir="ltr"
              spellCheck={false}
              className={`${control.className} font-mono`}
              placeholder={SAMPLE}
              value={csv}
              onChange={(event) => change(event.target.value)}
              onDragOver={(event) => event.preventDefault()}
              onDrop={drop}
            />
          )}
        </Field>
        <input
          type="file"
          accept=".csv,text/csv,text/plain"
          aria-label={t('Choose a file')}
          className={FILE}
          onChange={(event) => void read(event.target.files?.[0])}
        />
        {check && <Preview check={check} />}
        <Problem error={look.error ?? save.error} />
        <div className="flex justify-end gap-2 border-t border-line pt-4">
          {isReady ? (
            <Button kind="primary" busy={save.isPending} onClick={() => save.mutate(undefined, { onSuccess: onClose })}>
              {t('Import {count} payouts', { count: check.lines.length })}
            </Button>
          ) : (
            <Button kind="primary" busy={look.isPending} disabled={csv.trim() === ''} onClick={() => look.mutate(csv)}>
              {t('Check')}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function Preview({ check: { lines, problems } }: { check: PayoutCheckJson }) {
  const t = useT();
  if (problems.length > 0)
    return (
      <div role="alert" className="grid gap-2 rounded-lg border border-bad/30 bg-bad-tint px-4 py-3 text-sm text-bad">
        <p>{t('Nothing can be imported until these lines are right:')}</p>
        <ul className="grid max-h-64 gap-1 overflow-y-auto" lang="en" dir="ltr">
          {problems.map(({ line, problem }) => (
            <li key={line} className="[overflow-wrap:anywhere]">
              {line}: {problem}
            </li>
          ))}
        </ul>
      </div>
    );
  const warned = lines.filter(({ warnings }) => warnings.length > 0).length;
  return (
    <div className="grid gap-3">
      <Sums lines={lines} />
      {warned > 0 && (
        <Notice tone="warn">
          {t('{count} lines are the same as another one, or as a payout that is planned or on its way.', {
            count: warned,
          })}
        </Notice>
      )}
      <div className="max-h-72 overflow-y-auto">
        <Lines lines={lines} />
      </div>
    </div>
  );
}

function Sums({ lines }: { lines: readonly PayoutLineJson[] }) {
  const { locale } = useLanguage();
  const networks = [...new Set(lines.map(({ network }) => network))];
  return (
    <ul className="grid gap-1 text-sm tabular-nums">
      {networks.map((network) => (
        <li key={network}>
          {networkName(network)}:{' '}
          <strong>
            {sumsOf(
              locale,
              lines.filter((one) => one.network === network),
            )}
          </strong>
        </li>
      ))}
    </ul>
  );
}

function Lines({ lines }: { lines: readonly PayoutLineJson[] }) {
  const { t, locale } = useLanguage();
  return (
    <Table label={t('Payouts')} heads={[t('Amount'), t('Address'), t('Note'), t('Status')]}>
      {lines.map((one) => (
        <tr key={one.line}>
          <Cell className="whitespace-nowrap tabular-nums">
            {assetAmount(locale, one.amount, one.asset)}
            <span className="text-quiet"> · {networkName(one.network)}</span>
          </Cell>
          <Cell>
            <Copyable text={one.to} />
          </Cell>
          <Cell className="[overflow-wrap:anywhere]">
            <bdi>{one.note ?? ''}</bdi>
          </Cell>
          <Cell>
            <span className="flex flex-wrap gap-1">
              {one.warnings.includes('repeated') && <Badge tone="warn">{t('Repeated line')}</Badge>}
              {one.warnings.includes('planned_already') && <Badge tone="warn">{t('Planned already')}</Badge>}
            </span>
          </Cell>
        </tr>
      ))}
    </Table>
  );
}
