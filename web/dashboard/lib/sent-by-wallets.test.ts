import { beforeEach, expect, test, vi } from 'vitest';
import { sendOnce, sendTogether, UnansweredError } from './sent-by-wallets.ts';

let kept: Map<string, string>;
let isFull: boolean;
beforeEach(() => {
  kept = new Map();
  isFull = false;
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    removeItem: (name: string) => kept.delete(name),
    setItem(name: string, text: string) {
      if (isFull) throw new DOMException('full', 'QuotaExceededError');
      kept.set(name, text);
    },
  });
  return () => vi.unstubAllGlobals();
});

const refund = (id: string) => ({ id, to: '0x1', amount: '1.00' });
const HANDED = 'handed-over-refund';

test('a wallet is asked for none of several if a wallet has one of them by now', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<null>();
  // A view that was left before its wallet answered.
  const first = sendOnce('rf_left', () => answered);
  kept.set(`${HANDED} rf_other_tab`, 'asked');
  kept.set('sent-refund rf_sent', '{}');
  const send = vi.fn(async () => {});
  for (const id of ['rf_left', 'rf_other_tab', 'rf_sent'])
    await expect(sendTogether([refund('rf_free'), refund(id)], send)).rejects.toThrow('Look there before');
  expect(send).not.toHaveBeenCalled();
  expect(kept.has(`${HANDED} rf_free`)).toBe(false);
  answer(null);
  await first;
});

test.each([false, true])(
  'of several, those that were sent are kept, the others are free again; full: %s',
  async (full) => {
    isFull = full;
    const [one, two] = [refund(`rf_one_${full}`), refund(`rf_two_${full}`)];
    const declined = new Error('declined');
    const sending = sendTogether([one, two], async (sent) => {
      if (!full) expect([...kept.keys()]).toEqual([`${HANDED} ${one.id}`, `${HANDED} ${two.id}`]);
      sent(0, '0xabc');
      throw declined;
    });
    await expect(sending).rejects.toBe(declined);
    if (!full) expect([...kept]).toEqual([[`sent-refund ${one.id}`, '{"hash":"0xabc","to":"0x1","amount":"1.00"}']]);
    await expect(sendTogether([one], async () => {})).rejects.toThrow('Look there before');
    await sendTogether([two], async (sent) => sent(0, '0xdef'));
  },
);

test.each([
  ['one after the other', [1], ['sent-refund rf_a', `${HANDED} rf_b`]],
  ['by one signature', null, ['sent-refund rf_a', `${HANDED} rf_b`, `${HANDED} rf_c`]],
])('without an answer, those that a wallet has %s are not free', async (_, places, marks) => {
  const sending = sendTogether(['rf_a', 'rf_b', 'rf_c'].map(refund), async (sent) => {
    sent(0, '0xabc');
    throw new UnansweredError(places);
  });
  await expect(sending).rejects.toThrow('Look there before');
  expect([...kept.keys()].sort()).toEqual(marks.toSorted());
});
