import type { BrowserContextOptions, Page } from 'playwright-core';
import { lookWithAxe } from './support/accessibility.ts';
import { openBrowser } from './support/browser.ts';
import { findBlindSpots } from './states/focus.ts';
import { serveStates } from './states/serve.ts';
import { STATES } from './states/states.ts';
import { DESKTOP, openWindow, PHONE } from './states/window.ts';

/**
 * `npm run program -- axe [-- --short]`: every state × light and dark × left to right and right to left × desktop and
 * phone through axe and by the Tab key, and on 320 pixels. Short: each state in one of the eight looks, in turn. With
 * names of states, only these.
 */
const isShort = process.argv.includes('--short');
const names = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const WANTED = STATES.filter(({ name }) => names.length === 0 || names.includes(name));
const PAGES_AT_ONCE = 2;
const GRAVE = ['serious', 'critical'];
const NARROW: BrowserContextOptions = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true };
// Long words, long sentences, other scripts.
const NARROW_LOCALES = ['en', 'de', 'ru', 'ar', 'hi', 'ja'];

interface Look {
  name: string;
  locale: string;
  options: BrowserContextOptions;
}

const LOOKS: Look[] = (['light', 'dark'] as const).flatMap((colorScheme) =>
  ['en', 'ar'].flatMap((locale) =>
    [DESKTOP, PHONE].map((size) => ({
      name: `${colorScheme}, ${locale === 'ar' ? 'right to left' : 'left to right'}, ${size === PHONE ? 'phone' : 'desktop'}`,
      locale,
      options: { ...size, colorScheme },
    })),
  ),
);

await using states = await serveStates();
const browser = await openBrowser();
const began = performance.now();
const counts = { looked: 0, grave: 0, lesser: 0, focused: 0, unseen: 0, narrow: 0, tooWide: 0 };
const lines: string[] = [];

try {
  for (const [index, look] of LOOKS.entries()) {
    await inEach(
      look.options,
      WANTED.filter((_state, at) => !isShort || at % LOOKS.length === index),
      async (page, { name }) => {
        await open(page, states.address(name, look.locale));
        await judge(page, `${name} (${look.name})`);
      },
    );
  }
  for (const [index, locale] of NARROW_LOCALES.entries()) {
    await inEach(
      NARROW,
      WANTED.filter((_state, at) => !isShort || at % NARROW_LOCALES.length === index),
      async (page, { name }) => {
        await open(page, states.address(name, locale));
        counts.narrow++;
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        if (width > 320) note('tooWide', `${name} (320 pixels, ${locale}): ${width} pixels wide`);
      },
    );
  }
} finally {
  await browser.close();
}

for (const line of lines) console.log(line);
console.log(
  `${counts.looked} pages through axe: ${counts.grave} serious or critical findings, ${counts.lesser} lesser ones`,
);
console.log(`${counts.focused} places reached by the Tab key: ${counts.unseen} whose focus could not be seen`);
console.log(`${counts.narrow} pages on 320 pixels: ${counts.tooWide} wider than the screen`);
console.log(`${Math.round((performance.now() - began) / 1000)} s`);
if (counts.grave + counts.unseen + counts.tooWide > 0) process.exitCode = 1;

/** Opens a page and unfolds everything on it. */
async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.evaluate(() => {
    for (const folded of document.querySelectorAll('details')) folded.open = true;
  });
}

async function judge(page: Page, where: string): Promise<void> {
  counts.looked++;
  await setStuck(page, false);
  const { violations } = await lookWithAxe(page, { 'target-size': { enabled: true } }).analyze();
  for (const { id, impact, nodes } of violations) {
    const found = nodes
      .map((node) => node.target.join(' '))
      .slice(0, 3)
      .join(' | ');
    note(
      GRAVE.includes(impact ?? '') ? 'grave' : 'lesser',
      `${where}: ${impact} ${id}: ${found}: ${nodes[0]?.failureSummary?.split('\n')[1]?.trim() ?? ''}`,
    );
  }
  await setStuck(page, true);
  const { focused, unseen } = await findBlindSpots(page);
  counts.focused += focused;
  for (const place of unseen) note('unseen', `${where}: focus on ${place}`);
}

/**
 * A button that sticks to the end of the screen covers what can be scrolled away from under it. axe measures sizes in one
 * position only, so there it does not stick; the Tab key finds what stays covered.
 */
async function setStuck(page: Page, sticks: boolean): Promise<void> {
  await page.evaluate((isStuck) => {
    for (const element of document.querySelectorAll<HTMLElement>('main *')) {
      if (isStuck) element.style.removeProperty('position');
      else if (getComputedStyle(element).position === 'sticky') element.style.position = 'static';
    }
  }, sticks);
}

function note(kind: 'grave' | 'lesser' | 'unseen' | 'tooWide', line: string): void {
  counts[kind]++;
  lines.push(line);
}

/** Some windows of one kind, each taking the next state when it is free. */
async function inEach<T>(
  options: BrowserContextOptions,
  wanted: T[],
  look: (page: Page, one: T) => Promise<void>,
): Promise<void> {
  const context = await openWindow(browser, options);
  const rest = [...wanted];
  await Promise.all(
    Array.from({ length: PAGES_AT_ONCE }, async () => {
      const page = await context.newPage();
      for (let one = rest.shift(); one; one = rest.shift()) await look(page, one);
    }),
  );
  await context.close();
}
