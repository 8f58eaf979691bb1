import { expect, test } from 'vitest';
import { joined } from './joined.ts';

/** A place whose runs end on command. */
function stage(options = { runs: 1, maxCalls: 3 }) {
  const runs: { inputs: number[]; end: () => void; fail: (error: Error) => void }[] = [];
  const call = joined<object, number, string>(
    (_place, inputs) =>
      new Promise((resolve, reject) => {
        runs.push({ inputs, end: () => resolve(inputs.map((input) => `got ${input}`)), fail: reject });
      }),
    options,
  );
  const place = {};
  return {
    runs,
    ask: (input: number) => call(place, input),
    turn: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))),
  };
}

test('a lone call runs at once and gets its own outcome', async () => {
  const { runs, ask, turn } = stage();
  const answer = ask(1);
  await turn();
  expect(runs.map((run) => run.inputs)).toEqual([[1]]);
  runs[0]?.end();
  expect(await answer).toBe('got 1');
});

test('calls that arrive during a run are joined afterwards, no more than the limit at a time', async () => {
  const { runs, ask, turn } = stage();
  const first = ask(1);
  await turn();
  const rest = [2, 3, 4, 5].map(ask);
  await turn();
  expect(runs.length).toBe(1);
  runs[0]?.end();
  await first;
  await turn();
  expect(runs[1]?.inputs).toEqual([2, 3, 4]);
  runs[1]?.end();
  await turn();
  runs[2]?.end();
  expect(await Promise.all(rest)).toEqual(['got 2', 'got 3', 'got 4', 'got 5']);
});

test('the configured number of runs is concurrent', async () => {
  const { runs, ask, turn } = stage({ runs: 2, maxCalls: 1 });
  const answers = [1, 2, 3].map(ask);
  await turn();
  await turn();
  expect(runs.map((run) => run.inputs)).toEqual([[1], [2]]);
  runs[1]?.end();
  await turn();
  runs[0]?.end();
  runs[2]?.end();
  expect(await Promise.all(answers)).toEqual(['got 1', 'got 2', 'got 3']);
});

test('all callers of a failed run get its error, and the next ones run', async () => {
  const { runs, ask, turn } = stage();
  const answers = [ask(1), ask(2)].map((answer) => answer.catch((error: Error) => error.message));
  await turn();
  runs[0]?.fail(new Error('lost'));
  expect(await Promise.all(answers)).toEqual(['lost', 'lost']);
  const next = ask(3);
  await turn();
  runs[1]?.end();
  expect(await next).toBe('got 3');
});

test('an outcome that is still to come holds up only its own caller', async () => {
  let settle = (_value: string) => {};
  const slow = new Promise<string>((resolve) => {
    settle = resolve;
  });
  const call = joined<object, number, string>(
    async (_place, inputs) => inputs.map((input) => (input === 1 ? slow : `got ${input}`)),
    { runs: 1, maxCalls: 9 },
  );
  const place = {};
  const [held, free] = [call(place, 1), call(place, 2)];
  expect(await free).toBe('got 2');
  expect(await call(place, 3)).toBe('got 3');
  settle('at last');
  expect(await held).toBe('at last');
});

test('calls on different places are never joined', async () => {
  const seen: number[][] = [];
  const call = joined<object, number, number>(
    async (_place, inputs) => {
      seen.push(inputs);
      return inputs;
    },
    { runs: 1, maxCalls: 9 },
  );
  await Promise.all([call({}, 1), call({}, 2)]);
  expect(seen).toEqual([[1], [2]]);
});
