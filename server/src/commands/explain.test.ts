import { expect, test } from 'vitest';
import { linesOf } from './explain.ts';

const STATE = { reachable: true, stalled: false, behind_seconds: 2, second_pass_behind_seconds: null, providers: [] };

test.each([
  { state: undefined, line: 'base: no provider in the settings, so nothing is read' },
  { state: STATE, line: 'base: reachable, read until 2 s ago' },
  {
    state: { ...STATE, second_pass_behind_seconds: 7200 },
    line: 'base: reachable, read until 2 s ago, and a second time until 7202 s ago',
  },
  { state: { ...STATE, behind_seconds: null }, line: 'base: reachable, rests' },
  { state: { ...STATE, stalled: true }, line: 'base: reachable, stalled: no process reads it' },
])('$line', ({ state, line }) => {
  expect(linesOf('base', state)).toEqual([line]);
});
