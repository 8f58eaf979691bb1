import { expect, test } from 'vitest';
import { contrast } from '../ui/contrast.ts';
import { brandStyle } from './brand-style.ts';

const PLAIN = { accent: null, background: null, theme: null, corners: null };
const COLORS = ['#FFFF00', '#1F5EFF', '#000000', '#FFFFFF', '#808080', '#7A3B00', '#00FF00', '#FF00FF'];

test.each(COLORS.flatMap((accent) => COLORS.map((background) => [accent, background] as const)))(
  'accent %s on background %s can be read in light and in dark',
  (accent, background) => {
    const [light = '', dark = ''] = brandStyle({ ...PLAIN, accent, background }).split('@media');
    for (const [css, surface] of [
      [light, '#ffffff'],
      [dark, '#191c24'],
    ] as const) {
      const color = (name: string) => new RegExp(`--${name}:(#[0-9a-f]{6})`, 'i').exec(css)?.[1] ?? '';
      expect(contrast(surface, color('accent'))).toBeGreaterThanOrEqual(4.5);
      expect(contrast(color('accent'), color('on-accent'))).toBeGreaterThanOrEqual(4.5);
      for (const ink of ['ground-ink', 'ground-quiet', 'ground-accent'])
        expect(contrast(color('ground'), color(ink)), ink).toBeGreaterThanOrEqual(4.5);
    }
  },
);

test('a color that the merchant did not choose is left out', () => {
  expect(brandStyle({ ...PLAIN, background: '#123456' })).not.toContain('--accent');
  expect(brandStyle({ ...PLAIN, accent: '#123456' })).not.toContain('--ground');
});

test("a merchant's light or dark theme is the only one", () => {
  expect(brandStyle({ ...PLAIN, accent: '#FFFF00', theme: 'light' })).not.toContain('@media');
  const accent = /--accent:(#[0-9a-f]{6})/i.exec(brandStyle({ ...PLAIN, accent: '#000080', theme: 'dark' }))?.[1] ?? '';
  expect(contrast('#191c24', accent)).toBeGreaterThanOrEqual(4.5);
});

test('corners are as round as the merchant wants them', () => {
  expect(brandStyle({ ...PLAIN, corners: 'square' })).toContain('--round:0');
  expect(brandStyle({ ...PLAIN, accent: '#123456' })).not.toContain('--round');
});
