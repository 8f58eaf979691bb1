import { expect, test } from 'vitest';
import { datesOf } from './periods.ts';

const now = new Date('2026-03-14T23:30:00Z');

test('periods end today and count it', () => {
  expect(datesOf('today', now)).toEqual({ after: '2026-03-14', before: '2026-03-14' });
  expect(datesOf('week', now)).toEqual({ after: '2026-03-08', before: '2026-03-14' });
  expect(datesOf('month', now)).toEqual({ after: '2026-02-13', before: '2026-03-14' });
  expect(datesOf('this-month', now)).toEqual({ after: '2026-03-01', before: '2026-03-14' });
});

test('the last month and the last year are whole', () => {
  expect(datesOf('last-month', now)).toEqual({ after: '2026-02-01', before: '2026-02-28' });
  expect(datesOf('last-month', new Date('2026-01-31T12:00:00Z'))).toEqual({
    after: '2025-12-01',
    before: '2025-12-31',
  });
  expect(datesOf('this-year', now)).toEqual({ after: '2026-01-01', before: '2026-03-14' });
  expect(datesOf('last-year', now)).toEqual({ after: '2025-01-01', before: '2025-12-31' });
});
