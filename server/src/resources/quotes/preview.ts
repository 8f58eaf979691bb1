import type { RoutePreview, RouteRequest, Router } from '../../outside/routers/router.ts';
import { SECOND_MS } from '../../platform/time.ts';

const KEPT_MS = 20 * SECOND_MS;
const MAX_KEPT = 1_000;

interface Kept {
  at: Date;
  preview: Promise<RoutePreview>;
}

const kept = new WeakMap<Router, Map<string, Kept>>();

/**
 * A provider's preview, asked for once in 20 seconds however many want it at the same time. It is kept by everything that
 * the provider is told, so nobody is given what was asked for another's wallet; a refusal is not kept.
 */
export function previewOf(router: Router, request: RouteRequest, now: Date): Promise<RoutePreview> {
  const previews = kept.get(router) ?? new Map<string, Kept>();
  kept.set(router, previews);
  const key = `${request.pay.key} ${request.receive.key} ${request.outputUnits} ${request.recipient}`;
  const known = previews.get(key);
  if (known && isFresh(known, now)) return known.preview;

  const entry: Kept = { at: now, preview: router.preview(request) };
  previews.delete(key);
  previews.set(key, entry);
  entry.preview.catch(() => {
    if (previews.get(key) === entry) previews.delete(key);
  });
  forgetOld(previews, now);
  return entry.preview;
}

function isFresh({ at }: Kept, now: Date): boolean {
  // Who asks at the same moment may have looked at the clock before.
  return Math.abs(now.getTime() - at.getTime()) < KEPT_MS;
}

/** The oldest are first. */
function forgetOld(previews: Map<string, Kept>, now: Date): void {
  for (const [key, entry] of previews) {
    if (isFresh(entry, now) && previews.size <= MAX_KEPT) return;
    previews.delete(key);
  }
}
