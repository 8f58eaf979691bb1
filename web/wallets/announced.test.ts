import { getWallets } from '@wallet-standard/app';
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
  let shown: AnnouncedWallet[] = [];
  const stop = watchAnnounced(['standard:connect', 'solana:signMessage'], (wallets) => {
    shown = wallets;
  });
  const standard = (name: string, ...features: string[]) =>
    ({ name, features: Object.fromEntries(features.map((feature) => [feature, {}])) }) as never;
  getWallets().register(
    standard('Able', 'standard:connect', 'solana:signMessage'),
    standard('Other', 'standard:connect'),
  );
  announce('second', 'https://icons.example/a.png');
  expect(shown.map(({ name, family, icon }) => [name, family, icon])).toEqual([
    ['first', 'evm', 'data:image/png;base64,AA=='],
    ['Able', 'solana', null],
    ['second', 'evm', null],
  ]);

  stop();
  announce('third', '');
  expect(shown).toHaveLength(3);
});
