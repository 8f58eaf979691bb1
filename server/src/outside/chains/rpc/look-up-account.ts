import type { Stranger } from '../../../platform/http/admission/client.ts';
import { createHints } from './hints.ts';
import type { Provider } from './provider.ts';
import type { Providers } from './providers.ts';

/**
 * Looks up what lives at an address. Strangers choose addresses too: theirs have a budget of their own, and pause no
 * provider.
 */
export function accountLookUp<T>(
  providers: Providers,
  look: (provider: Provider, address: string) => Promise<T>,
): (address: string, stranger?: Stranger) => Promise<T> {
  const hints = createHints();
  return (address, stranger) =>
    stranger
      ? hints.lookUp(
          address,
          () => providers.use((provider) => look(provider, address), { ignoreFailures: true }),
          stranger.client,
        )
      : providers.use((provider) => look(provider, address));
}
