import type { RoutePreview, RouteRequest, Router } from '../../outside/routers/router.ts';
import { SECOND_MS } from '../../platform/time.ts';

const KEPT_MS = 20 * SECOND_MS;
const MAX_KEPT = 1_000;

interface CachedPreview {
  at: Date;
  preview: Promise<RoutePreview>;
}

const kept = new WeakMap<Router, Map<string, CachedPreview>>();

/**
 * A provider's preview, requested once in 20 seconds for all concurrent requests. The key contains everything that the
 * provider is sent, so a preview for another wallet is never returned. Errors are not cached.
 */
export function previewOf(router: Router, request: RouteRequest, now: Date): Promise<RoutePreview> {
  const previews = kept.get(router) ?? new Map<string, CachedPreview>();
  kept.set(router, previews);
  const key = `${request.pay.key} ${request.receive.key} ${request.outputUnits} ${request.recipient}`;
  const known = previews.get(key);
  if (known && isFresh(known, now)) return known.preview;

  const entry: CachedPreview = { at: now, preview: router.preview(request) };
  previews.delete(key);
  previews.set(key, entry);
  entry.preview.catch(() => {
    if (previews.get(key) === entry) previews.delete(key);
  });
  dropOldest(previews, now);
  return entry.preview;
}

function isFresh({ at }: CachedPreview, now: Date): boolean {
  // A concurrent request may have read the clock earlier.
  return Math.abs(now.getTime() - at.getTime()) < KEPT_MS;
}

/** The oldest come first. */
function dropOldest(previews: Map<string, CachedPreview>, now: Date): void {
  for (const [key, entry] of previews) {
    if (isFresh(entry, now) && previews.size <= MAX_KEPT) return;
    previews.delete(key);
  }
}
