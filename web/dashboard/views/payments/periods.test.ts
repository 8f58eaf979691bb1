import { expect, test } from 'vitest';
import { datesOf } from './periods.ts';

const now = new Date('2026-03-14T23:30:00Z');

test('periods end today and count it', () => {
  expect(datesOf('today', now)).toEqual({ after: '2026-03-14', before: '2026-03-14' });
  expect(datesOf('week', now)).toEqual({ after: '2026-03-08', before: '2026-03-14' });
  expect(datesOf('month', now)).toEqual({ after: '2026-02-13', before: '2026-03-14' });
  expect(datesOf('this-month', now)).toEqual({ after: '2026-03-01', before: '2026-03-14' });
});
