import { isNotFound } from '../lib/api.ts';
import { useT } from '../lib/i18n.tsx';
import { useMode } from '../lib/state.tsx';
import { Button, Card, Empty, Problem, Skeleton } from './basic.tsx';

/** A page of one thing while it loads, if it is not in this mode (`missing`), or after an error. */
export function NotHere({ error, retry, missing }: { error: Error | null; retry: () => void; missing: string }) {
  const t = useT();
  const { mode, setMode } = useMode();
  if (!error)
    return (
      <Card>
        <Skeleton rows={8} />
      </Card>
    );
  if (!isNotFound(error)) return <Problem error={error} retry={retry} />;
  const other = mode === 'test' ? 'live' : 'test';
  return (
    <Empty
      title={missing}
      action={
        <Button onClick={() => setMode(other)}>
          {other === 'live' ? t('Look in live mode') : t('Look in test mode')}
        </Button>
      }
    />
  );
}
