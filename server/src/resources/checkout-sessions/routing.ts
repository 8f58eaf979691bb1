import type { Asset } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Router } from '../../outside/routers/router.ts';

/** The providers of a mode, in the order they are asked. */
export function routersOf(ctx: Pick<Context, 'routers' | 'sandboxRouter' | 'config'>, livemode: boolean): readonly Router[] {
  if (!livemode) return [ctx.sandboxRouter];
  // Without somebody to send the fee to, a route would be done for nothing.
  const isOff = ctx.config.profile === 'production' && ctx.config.routes.feeRecipient === null;
  return isOff ? [] : ctx.routers;
}

/** Whether some provider converts the pair, as far as providers tell. */
export async function canRoute(ctx: Pick<Context, 'routers' | 'sandboxRouter' | 'config' | 'log'>, livemode: boolean, pay: Asset, receive: Asset): Promise<boolean> {
  for (const router of routersOf(ctx, livemode)) {
    try {
      if (await router.supports(pay, receive)) return true;
    } catch (error) {
      ctx.log.debug({ err: error, provider: router.name }, 'a route provider did not say what it converts');
    }
  }
  return false;
}
