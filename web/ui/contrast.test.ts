import { expect, test } from 'vitest';
import { contrast, inkOn, luminance, READABLE, readableOn } from './contrast.ts';

test('black on white has the contrast that the standard gives it', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});

test.each([
  ['#ffffff', '#ffff00'],
  ['#ffffff', '#1f5eff'],
  ['#191c24', '#000080'],
  ['#191c24', '#ffffff'],
  ['#808080', '#808080'],
  ['#000000', '#000000'],
])('on %s, %s becomes readable', (ground, color) => {
  expect(contrast(ground, readableOn(ground, color))).toBeGreaterThanOrEqual(READABLE);
});

test('a color that can be read is left as it is', () => {
  expect(readableOn('#ffffff', '#1f5eff')).toBe('#1f5eff');
});

test('black or white can be read on every color', () => {
  for (let seed = 0; seed < 4096; seed++) {
    const color = `#${[seed >> 8, (seed >> 4) & 15, seed & 15].map((digit) => digit.toString(16).repeat(2)).join('')}`;
    expect(contrast(color, inkOn(color)), color).toBeGreaterThanOrEqual(READABLE);
    expect(luminance(color)).toBeLessThanOrEqual(1);
  }
});
