import type { Logger } from 'pino';
import { createOneClick } from './one-click/one-click.ts';
import { createRelay } from './relay/relay.ts';
import type { Router } from './router.ts';

export interface RouteSettings {
  providers: readonly ('one-click' | 'relay')[];
  oneClick: { url: string; key: string | null; signer: string; feeSharePercent: number };
  relay: { url: string; key: string | null };
  feeRecipient: string | null;
}

/** The configured route providers, in the order in which they are used. */
export function createRouters(settings: RouteSettings, profile: 'development' | 'production', log: Logger): Router[] {
  const { feeRecipient } = settings;
  if (profile === 'production' && feeRecipient === null && settings.providers.length > 0) {
    log.warn('routed payments are off: ROUTES_FEE_RECIPIENT is not set');
    return [];
  }
  const canBePaid = (provider: RouteSettings['providers'][number]) =>
    provider !== 'relay' || feeRecipient === null || /^0x[0-9a-fA-F]{40}$/.test(feeRecipient);
  if (!settings.providers.every(canBePaid))
    log.warn(
      'Relay is not used: it pays the service fee to Ethereum addresses only, and ROUTES_FEE_RECIPIENT is not one',
    );
  return settings.providers
    .filter(canBePaid)
    .map((provider) =>
      provider === 'one-click'
        ? createOneClick({ ...settings.oneClick, feeRecipient })
        : createRelay({ ...settings.relay, feeRecipient }),
    );
}
