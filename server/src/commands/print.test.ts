import { afterEach, expect, test, vi } from 'vitest';
import { lineOf } from './finding.ts';
import { complain, print } from './print.ts';

afterEach(() => void vi.restoreAllMocks());

test.each([
  ['stdout', print],
  ['stderr', complain],
] as const)('what a provider wrote reaches a terminal by %s as text, in one line of the doctor', (stream, write) => {
  let written = '';
  vi.spyOn(process[stream], 'write').mockImplementation((text) => {
    written += text;
    return true;
  });
  write(lineOf({ state: 'failed', subject: 'RPC base', details: 'error:\n\u001b[2J\u202eok  ok' }));
  expect(written).toBe('failed   RPC base                  error: \\u001b[2J\\u202eok ok\n');
});
