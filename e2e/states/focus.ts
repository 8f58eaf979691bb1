import type { Page } from 'playwright-core';

const MAX_TABS = 100;

/**
 * Goes once around the page with the Tab key; reports every element whose focus is invisible: no outline, a faint one,
 * or something over it.
 */
export async function findBlindSpots(page: Page): Promise<{ focused: number; unseen: string[] }> {
  const unseen: string[] = [];
  let focused = 0;
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  for (let pressed = 0; pressed < MAX_TABS; pressed++) {
    await page.keyboard.press('Tab');
    const place = await page.evaluate(lookAtFocus);
    if (place === null) break;
    focused++;
    if (place.problem) unseen.push(`${place.name}: ${place.problem}`);
    if (place.isAgain) break;
  }
  return { focused, unseen };
}

/** In the page. Null where the focus has left it. */
function lookAtFocus(): { name: string; problem: string | null; isAgain: boolean } | null {
  const element = document.activeElement as HTMLElement | null;
  if (!element || element === document.body) return null;
  const isAgain = element.dataset.focused !== undefined;
  element.dataset.focused = '';
  const name =
    `<${element.tagName.toLowerCase()}> ` +
    `${(element.textContent || element.getAttribute('aria-label') || '').trim().slice(0, 40)}`;

  // A radio button shows its focus on the element around it or beside it.
  const outlined = [element, element.nextElementSibling].find(
    (one): one is Element =>
      one !== null &&
      getComputedStyle(one).outlineStyle !== 'none' &&
      Number.parseFloat(getComputedStyle(one).outlineWidth) >= 2,
  );
  if (!outlined) return { name, problem: 'no outline', isAgain };

  const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([red = 0, green = 0, blue = 0]: number[]) => {
    const [r, g, b] = [red, green, blue].map((value) =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    ) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  let ground: Element | null = outlined.parentElement;
  while (ground && (channels(getComputedStyle(ground).backgroundColor)[3] ?? 1) === 0) ground = ground.parentElement;
  const [a, b] = [
    luminance(channels(getComputedStyle(outlined).outlineColor)),
    luminance(channels(ground ? getComputedStyle(ground).backgroundColor : 'rgb(255, 255, 255)')),
  ];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < 3) return { name, problem: `an outline of contrast ${contrast.toFixed(2)}`, isAgain };

  const box = outlined.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + Math.min(box.height / 2, 20)];
  if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) return { name, problem: 'outside the window', isAgain };
  const top = document.elementFromPoint(x, y);
  const isCovered =
    top !== null && !outlined.contains(top) && !top.contains(outlined) && !element.parentElement?.contains(top);
  return { name, problem: isCovered ? `covered by <${top.tagName.toLowerCase()}>` : null, isAgain };
}
