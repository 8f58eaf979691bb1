import { beforeEach, expect, test, vi } from 'vitest';
import { type Sent, UnansweredError } from './sent-by-wallets.ts';

let asked: unknown[];
let others: { id: string }[];
beforeEach(() => {
  const kept = new Map<string, string>();
  asked = [];
  others = [];
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    removeItem: (name: string) => kept.delete(name),
    setItem: (name: string, text: string) => kept.set(name, text),
  });
  vi.stubGlobal('fetch', async (path: string, { body }: { body: string }) => {
    const { holder, ...rest } = JSON.parse(body);
    expect(holder).toBe(kept.get('browser-name'));
    asked.push([path.split('/').at(-1), rest]);
    return Response.json({ data: { others: rest.take_over ? [] : others } });
  });
  return () => vi.unstubAllGlobals();
});

type Send = (sent: Sent) => Promise<void>;

async function send(ids: string[], act: Send, takenOver: string[] = []) {
  // It reads the storage of the page as soon as it is loaded.
  const { holdOfRefunds, sendHeld } = await import('./send-held.ts');
  const refunds = ids.map((id) => ({ id, to: '0x1', amount: '1.00' }));
  return sendHeld(refunds, holdOfRefunds('0x2'), new Set(takenOver), act);
}

const hold = (...refunds: string[]) => ['hold', { refunds, address: '0x2' }];
const release = (...refunds: string[]) => ['release', { refunds }];

test('no wallet is asked for refunds that another browser has, and only what was seen is taken over', async () => {
  others = [{ id: 'rf_b' }];
  const act = vi.fn(async () => {});
  expect(await send(['rf_a', 'rf_b'], act)).toEqual([{ id: 'rf_b' }]);
  expect(await send(['rf_a', 'rf_b'], act, ['rf_a', 'rf_elsewhere'])).toEqual([{ id: 'rf_b' }]);
  expect(act).not.toHaveBeenCalled();
  expect(asked).toEqual([
    hold('rf_a', 'rf_b'),
    release('rf_a', 'rf_b'),
    ['hold', { refunds: ['rf_a'], address: '0x2', take_over: true }],
    hold('rf_a', 'rf_b'),
    release('rf_a', 'rf_b'),
  ]);
});

test.each([
  ['declines the second of three', new Error('declined'), release('rf_2', 'rf_3')],
  ['does not answer about the second of three', new UnansweredError([1]), release('rf_3')],
  ['does not answer about any', new UnansweredError(), null],
])('a wallet that %s leaves to others what it certainly did not send', async (_what, error, released) => {
  const sending = send(['rf_1', 'rf_2', 'rf_3'], async (sent) => {
    sent(0, '0xabc');
    throw error;
  });
  await expect(sending).rejects.toBe(error);
  expect(asked).toEqual([hold('rf_1', 'rf_2', 'rf_3'), ...(released ? [released] : [])]);
});
