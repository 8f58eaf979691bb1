import type { Context } from '../../context.ts';
import type { RoutePreview, RouteRequest, Router } from '../../outside/routers/router.ts';

/**
 * A provider's preview, requested once in 20 seconds for all concurrent requests. The key contains everything that the
 * provider is sent, so a preview for another wallet is never returned.
 */
export function previewOf(
  { caches }: Pick<Context, 'caches'>,
  router: Router,
  request: RouteRequest,
  now: Date,
): Promise<RoutePreview> {
  const key = `${router.name} ${request.pay.key} ${request.receive.key} ${request.outputUnits} ${request.recipient}`;
  return caches.routePreviews.get(key, () => router.preview(request), now.getTime());
}
