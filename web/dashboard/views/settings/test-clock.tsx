import { useState } from 'react';
import { post } from '../../lib/api.ts';
import { exactInstant } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { useAct } from '../../lib/state.tsx';
import type { AccountJson } from '../../lib/types.ts';
import { Button, Card, Notice, Problem } from '../../ui/basic.tsx';

const STEPS = [
  { seconds: 60, name: '1 minute' },
  { seconds: 300, name: '5 minutes' },
  { seconds: 1_800, name: '30 minutes' },
  { seconds: 7_200, name: '2 hours' },
  { seconds: 86_400, name: '1 day' },
] as const;

/** The clock of test mode, which can be advanced: whatever becomes due happens at once. */
export function TestClock({ account }: { account: AccountJson }) {
  const { t, locale } = useLanguage();
  const [moved, setMoved] = useState<string | null>(null);
  const advance = useAct(
    (seconds: number) => post<{ now: string }>('/v1/test_helpers/clock/advance', { seconds }),
    ['account', 'payments', 'payment', 'timeline', 'deliveries', 'endpoints', 'overview', 'transfers'],
  );
  return (
    <Card title={t('Test clock')}>
      <div className="grid gap-3">
        <p className="text-sm text-quiet">
          {t(
            'The test clock shows {now}. Move it forward to expire sessions and retry webhooks as if the time had passed.',
            { now: exactInstant(locale, moved ?? account.test_clock.now) },
          )}
        </p>
        <div className="flex flex-wrap gap-2">
          {STEPS.map(({ seconds, name }) => (
            <Button
              key={seconds}
              busy={advance.isPending}
              onClick={() => advance.mutate(seconds, { onSuccess: ({ now }) => setMoved(now) })}
            >
              + {t(name)}
            </Button>
          ))}
        </div>
        {account.test_clock.offset_seconds > 0 && <Notice>{t('The test clock can only move forward.')}</Notice>}
        <Problem error={advance.error} />
      </div>
    </Card>
  );
}
