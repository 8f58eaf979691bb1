import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { plain } from '../../lib/format.ts';
import { type Translate, useT } from '../../lib/i18n.tsx';
import type { Mode } from '@quittance/contract';
import { useMode } from '../../lib/state.tsx';
import type { OnboardingJson } from '../../lib/types.ts';
import { Button, Card, Notice } from '../../ui/basic.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useOnboarding } from './waiting.ts';

interface Step {
  done: boolean;
  text: string;
  why: string;
  to: '/wallets' | '/links' | '/webhooks' | '/settings' | '/keys';
  /** Until it is done, the form is opened there. */
  makes?: true;
}

/** The steps to the first payment of this mode. A step is done by fact, not by a click. */
export function Onboarding() {
  const t = useT();
  const { mode } = useMode();
  const facts = useOnboarding().data;
  const [isHidden, setHidden] = useState(localStorage.getItem('onboarding') === 'hidden');
  if (!facts) return null;

  const steps = stepsOf(facts, mode, t);
  const done = steps.filter((step) => step.done).length;
  const warnings = <Warnings facts={facts} mode={mode} />;
  if (done === steps.length || isHidden) return warnings;
  return (
    <>
      {warnings}
      <Card
        title={t('Get started')}
        action={
          <div className="flex items-center gap-3 text-sm text-quiet">
            {t('{done} of {all}', { done, all: steps.length })}
            <Button
              kind="quiet"
              onClick={() => {
                localStorage.setItem('onboarding', 'hidden');
                setHidden(true);
              }}
            >
              {t('Hide')}
            </Button>
          </div>
        }
      >
        <Progress done={done} all={steps.length} />
        <ul className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
          {steps.map((step) => (
            <StepItem key={step.text} step={step} />
          ))}
        </ul>
      </Card>
    </>
  );
}

function Warnings({ facts, mode }: { facts: OnboardingJson; mode: Mode }) {
  const t = useT();
  return (
    <>
      {mode === 'live' && facts.only_test_keys_used && (
        <Notice tone="warn">
          {t('Your server still uses a test key; no live key has been used yet. Test payments don’t move real money.')}
        </Notice>
      )}
      {facts.local_endpoints.map((url) => (
        <Notice key={url} tone="warn">
          {t('A live webhook endpoint points to a development machine or tunnel: {url}', { url: plain(url) })}
        </Notice>
      ))}
    </>
  );
}

function Progress({ done, all }: { done: number; all: number }) {
  const t = useT();
  return (
    <div
      className="mb-4 h-1.5 overflow-hidden rounded-full bg-raised"
      role="progressbar"
      aria-label={t('Get started')}
      aria-valuemin={0}
      aria-valuemax={all}
      aria-valuenow={done}
    >
      <div
        className="h-full rounded-full bg-good"
        ref={(bar) => {
          if (bar) bar.style.inlineSize = `${(100 * done) / all}%`;
        }}
      />
    </div>
  );
}

function StepItem({ step }: { step: Step }) {
  const t = useT();
  const search = step.makes && !step.done ? { new: true as const } : {};
  return (
    <li>
      <Link
        to={step.to}
        search={search}
        className="-mx-2 flex items-start gap-3 rounded-lg px-2 py-1.5 hover:bg-raised"
      >
        <span className={`mt-0.5 ${step.done ? 'text-good' : 'text-quiet'}`}>
          <Icon name={step.done ? 'check' : 'circle'} />
        </span>
        <span>
          <span className={`block text-sm font-medium ${step.done ? 'text-quiet line-through' : ''}`}>
            {step.text}
            {step.done && <span className="sr-only"> {t('done')}</span>}
          </span>
          {!step.done && <span className="text-sm text-quiet">{step.why}</span>}
        </span>
      </Link>
    </li>
  );
}

/** Test mode leads to a working checkout, live mode to the first real payment. Links need no code. */
export function stepsOf(facts: OnboardingJson, mode: Mode, t: Translate): Step[] {
  const wallet = {
    done: facts.wallet,
    text: t('Add a payout wallet'),
    why: t('Where customers’ payments are sent directly.'),
    to: '/wallets',
    makes: true,
  } as const;
  const webhook = {
    done: facts.webhook_answered,
    text: t('Receive a webhook'),
    why: t('Only for a shop with a server of its own. Payment links don’t need it.'),
    to: '/webhooks',
  } as const;
  const contact = {
    done: facts.contact,
    text: t('Set your name and support contact'),
    why: t('Shown to customers at checkout.'),
    to: '/settings',
  } as const;
  if (mode === 'test')
    return [
      wallet,
      ...linkStep(facts, mode, t),
      {
        done: facts.test_paid,
        text: t('Pay a test checkout'),
        why: t('Try the full flow without real money.'),
        to: '/links',
      },
      ...(facts.sells_by_links ? [] : [webhook]),
      contact,
    ];
  return [
    wallet,
    {
      done: facts.wallet_proved,
      text: t('Verify wallet ownership'),
      why: t('One signature, no transaction.'),
      to: '/wallets',
    },
    {
      done: facts.wallets_guarded,
      text: t('Decide about wallets that keys add'),
      why: t('So that a leaked key can’t redirect payments.'),
      to: '/settings',
    },
    contact,
    ...linkStep(facts, mode, t),
    ...(facts.sells_by_links
      ? []
      : ([
          {
            done: facts.live_key,
            text: t('Create a live key'),
            why: t('Only for a shop with a server of its own. Payment links don’t need it.'),
            to: '/keys',
            makes: true,
          },
          webhook,
        ] as const)),
    {
      done: facts.live_paid,
      text: t('Receive a live payment'),
      why: t('Pay one of your own live checkouts with a small amount.'),
      to: '/links',
    },
  ];
}

/** None for who was paid without a link, or answers webhooks: they sell by a server. */
function linkStep(facts: OnboardingJson, mode: Mode, t: Translate): Step[] {
  const isPaid = mode === 'test' ? facts.test_paid : facts.live_paid;
  if (!facts.link && (isPaid || facts.webhook_answered)) return [];
  const why = t('To be paid without a server of your own.');
  return [{ done: facts.link, text: t('Create a payment link'), why, to: '/links', makes: true }];
}
