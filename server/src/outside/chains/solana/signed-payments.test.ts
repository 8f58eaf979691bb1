import { pino } from 'pino';
import { expect, test } from 'vitest';
import { accepts } from './signed-payments.ts';
import { ProviderError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { createProviders } from '../rpc/providers.ts';

type Answer = 'carries out' | 'refuses' | 'down';

function startNodes(answers: readonly Answer[]) {
  const open = (name: string) => {
    const attempt = async ([call]: readonly [Call<boolean>]) => {
      const answer = answers[Number(name)];
      if (answer === 'down') throw new ProviderError('down');
      return [{ value: call.parse({ value: { err: answer === 'refuses' ? 'no funds' : null } }) }];
    };
    return { name, requests: 0, recheckChain() {}, proven: { name, attempt } } as unknown as Provider;
  };
  const options = { pin: { method: 'getGenesisHash', expected: 'ours', parse: String }, open };
  return createProviders(Object.keys(answers), options, pino({ level: 'silent' }));
}

test.each<[Answer[], boolean]>([
  [['refuses'], false],
  [['refuses', 'carries out'], true],
  [['refuses', 'down'], false],
  [['down', 'refuses', 'carries out'], true],
  [['refuses', 'refuses', 'carries out'], false],
  [['carries out', 'refuses'], true],
])('one cluster node alone does not say that a transaction would fail: %j', async (answers, expected) => {
  expect(await accepts(startNodes(answers), 'signed')).toBe(expected);
});

test('silence does not count as an answer', async () => {
  await expect(accepts(startNodes(['down', 'down']), 'signed')).rejects.toThrow('down; down');
});
