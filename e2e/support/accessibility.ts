import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What axe objects to on a page, a line each. */
export async function objections(page: Page): Promise<string[]> {
  const { violations } = await lookWithAxe(page).analyze();
  return violations.map(({ id, impact, nodes }) => `${id} (${impact}) ${nodes[0]?.html.slice(0, 160)}`);
}

/**
 * axe on a page that frames its own pages at most. It describes only what it objects to, because a selector for each
 * node that passes took most of its time, and needs no second window to put the frames together.
 */
export function lookWithAxe(page: Page, rules: Record<string, { enabled: boolean }> = {}): AxeBuilder {
  return new AxeBuilder({ page }).options({ resultTypes: ['violations'], rules }).setLegacyMode();
}
