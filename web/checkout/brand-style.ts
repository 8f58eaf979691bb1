import { inkOn, luminance, mix, readableOn } from '../ui/contrast.ts';
import type { Brand } from './renderer.ts';

const LIGHT_SURFACE = '#ffffff';
const DARK_SURFACE = '#191c24';

/** The stylesheet of a merchant's colors. Whatever they are, all text on them is readable, in light and in dark. */
export function brandStyle({ accent, background, theme, corners }: Brand): string {
  const light = colors(accent, background && lightGround(background), LIGHT_SURFACE);
  const dark = colors(accent, background && darkGround(background), DARK_SURFACE);
  const first = [theme === 'dark' ? dark : light, corners && `--round:${ROUNDNESS[corners]}`].filter(Boolean).join(';');
  return `${ROOT}{${first}}\n${theme === null ? `@media (prefers-color-scheme:dark){${ROOT}{${dark}}}\n` : ''}`;
}

// More specific than the page's own colors in every theme.
const ROOT = ':root:root:root';
const ROUNDNESS = { round: 1, soft: 0.5, square: 0 };

function colors(accent: string | null, ground: string | null, surface: string): string {
  const declarations: string[] = [];
  if (accent) {
    const readable = readableOn(surface, accent);
    declarations.push(`--accent:${readable}`, `--on-accent:${inkOn(readable)}`);
  }
  if (ground) {
    const ink = inkOn(ground);
    declarations.push(
      `--ground:${ground}`,
      `--ground-ink:${ink}`,
      `--ground-quiet:${readableOn(ground, mix(ink, ground, 0.25))}`,
    );
    if (accent) declarations.push(`--ground-accent:${readableOn(ground, accent)}`);
    else declarations.push(`--ground-accent:${ink}`);
  }
  return declarations.join(';');
}

function lightGround(background: string): string {
  return background.toLowerCase();
}

/** In the dark theme even a bright color is dimmed. */
function darkGround(background: string): string {
  let dimmed = background;
  for (let share = 0.1; luminance(dimmed) > 0.05 && share <= 1; share += 0.1)
    dimmed = mix(background, '#000000', share);
  return dimmed.toLowerCase();
}
