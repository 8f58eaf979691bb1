import { afterAll, expect, test, vi } from 'vitest';
import type { OnboardingJson } from '../../lib/types.ts';
import { plurals } from '../../i18n/en.ts';
import { translator } from '../../i18n/messages.ts';

// The client of the API reads the mode of the browser when it is loaded.
vi.stubGlobal('localStorage', { getItem: () => null });
afterAll(() => vi.unstubAllGlobals());
const { stepsOf } = await import('./onboarding.tsx');

test.each([
  [{}, 'open'],
  [{ link: true }, 'done'],
  [{ link: true, test_paid: true, live_paid: true, webhook_answered: true }, 'done'],
  // Who was paid without a link, or answers webhooks, sells by a server.
  [{ test_paid: true, live_paid: true }, undefined],
  [{ webhook_answered: true }, undefined],
])('with %o the step to a payment link is %s', (facts, state) => {
  for (const mode of ['test', 'live'] as const) {
    const steps = stepsOf(facts as OnboardingJson, mode, translator('en', plurals));
    const step = steps.find(({ text }) => text === 'Create a payment link');
    expect(step && (step.done ? 'done' : 'open')).toBe(state);
  }
});
