import { afterEach, expect, test, vi } from 'vitest';
import { type AnnouncedWallet, watchAnnounced } from './announced.ts';

afterEach(() => vi.unstubAllGlobals());

test('wallets of both kinds are reported as they announce themselves, with an icon only if it is in the announcement', () => {
  const page = new EventTarget();
  for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const)
    vi.stubGlobal(name, page[name].bind(page));
  const announce = (uuid: string, icon: string) =>
    page.dispatchEvent(
      Object.assign(new Event('eip6963:announceProvider'), {
        detail: { info: { uuid, name: uuid, icon }, provider: {} },
      }),
    );
  page.addEventListener('eip6963:requestProvider', () => announce('first', 'data:image/png;base64,AA=='));
  const standard = (name: string, ...features: string[]) =>
    ({ name, features: Object.fromEntries(features.map((feature) => [feature, {}])) }) as never;
  // One that was there before the page.
  page.addEventListener('wallet-standard:app-ready', (event) =>
    (event as CustomEvent).detail.register(standard('Early', 'standard:connect', 'solana:signMessage')),
  );
  let shown: AnnouncedWallet[] = [];
  const stop = watchAnnounced(['standard:connect', 'solana:signMessage'], (wallets) => {
    shown = wallets;
  });
  const [able, other] = [
    standard('Able', 'standard:connect', 'solana:signMessage'),
    standard('Other', 'standard:connect'),
  ];
  let leave = () => {};
  const register = ({ detail }: { detail: (page: { register: (...wallets: never[]) => () => void }) => void }) =>
    page.dispatchEvent(Object.assign(new Event('wallet-standard:register-wallet'), { detail }));
  register({
    detail: (page) => {
      leave = page.register(able, other);
    },
  });
  announce('second', 'https://icons.example/a.png');
  expect(shown.map(({ name, family, icon }) => [name, family, icon])).toEqual([
    ['first', 'evm', 'data:image/png;base64,AA=='],
    ['Early', 'solana', null],
    ['Able', 'solana', null],
    ['second', 'evm', null],
  ]);
  leave();
  expect(shown.map(({ name }) => name)).toEqual(['first', 'Early', 'second']);

  stop();
  announce('third', '');
  register({ detail: (page) => void page.register(able) });
  expect(shown).toHaveLength(3);
});
