// Readable colors: contrast as WCAG measures it, and the nearest color with enough of it.

export const READABLE = 4.5;

/** The color itself if it is readable on the ground, otherwise the nearest lighter or darker one. */
export function readableOn(ground: string, color: string, minContrast = READABLE): string {
  if (contrast(ground, color) >= minContrast) return color;
  const extreme = luminance(ground) > 0.18 ? '#000000' : '#ffffff';
  for (let percent = 2; percent <= 100; percent += 2) {
    const mixed = mix(color, extreme, percent / 100);
    if (contrast(ground, mixed) >= minContrast) return mixed;
  }
  return extreme;
}

/** Black or white, whichever is more readable on the ground. */
export function inkOn(ground: string): '#000000' | '#ffffff' {
  return contrast(ground, '#ffffff') >= contrast(ground, '#000000') ? '#ffffff' : '#000000';
}

export function contrast(a: string, b: string): number {
  const [lighter, darker] = [luminance(a), luminance(b)].sort((one, other) => other - one) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Mixes a share of the second color into the first: 0 is only the first, 1 is only the second. */
export function mix(first: string, second: string, share: number): string {
  const [a, b] = [channels(first), channels(second)];
  return `#${a
    .map((value, at) =>
      Math.round(value + ((b[at] ?? 0) - value) * share)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

export function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
