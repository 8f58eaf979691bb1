import { expect, test } from 'vitest';
import { daysOfMonth, firstDayOfWeek, otherDay, otherMonth } from './calendar.ts';

test('a month is whole weeks from the first day of the week', () => {
  const march = daysOfMonth('2026-03', 1);
  expect(march.length % 7).toBe(0);
  expect(march.slice(0, 7)).toEqual([null, null, null, null, null, null, '2026-03-01']);
  expect(daysOfMonth('2026-03', 0)[0]).toBe('2026-03-01');
  expect(march.filter(Boolean)).toHaveLength(31);
  expect(daysOfMonth('2028-02', 1).filter(Boolean)).toHaveLength(29);
});

test('days and months go on over the ends of months and years', () => {
  expect(otherDay('2026-02-28', 1)).toBe('2026-03-01');
  expect(otherDay('2026-01-01', -1)).toBe('2025-12-31');
  expect(otherMonth('2026-12', 1)).toBe('2027-01');
  expect(otherMonth('2026-01', -1)).toBe('2025-12');
});

test('the week begins as it does where the language is spoken', () => {
  expect(firstDayOfWeek('en-US')).toBe(0);
  expect(firstDayOfWeek('de')).toBe(1);
});
