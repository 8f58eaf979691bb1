import { afterEach, expect, test, vi } from 'vitest';
import { followHistory } from './steps.ts';

afterEach(() => vi.unstubAllGlobals());

test.each([
  ['checking', true],
  ['scan', true],
  ['failed', true],
  ['confirm', false],
  ['signing', false],
  ['sending', false],
  ['sent', false],
])('whether Back leaves the payment while a wallet is at the step %s: %s', (step, leaves) => {
  const browser = new EventTarget();
  vi.stubGlobal('addEventListener', browser.addEventListener.bind(browser));
  vi.stubGlobal('history', { state: '?view=choose' });
  vi.stubGlobal('location', { search: '?view=choose' });
  const show = vi.fn();
  followHistory({ shown: () => ({ session: { options: [] }, wallet: { step } }), show } as never);
  browser.dispatchEvent(new Event('popstate'));
  expect(show.mock.calls.map(([{ view, wallet }]) => [view, wallet])).toEqual(leaves ? [['choose', null]] : []);
});
