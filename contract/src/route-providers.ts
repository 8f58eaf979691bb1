/** The display name of a route provider. */
export function providerName(slug: string): string {
  return NAMES[slug] ?? slug;
}

/** The help page of a route provider; null if none is known. */
export function providerHelp(slug: string): string | null {
  return HELP[slug] ?? null;
}

const NAMES: Record<string, string> = { 'one-click': 'NEAR Intents', relay: 'Relay', sandbox: 'Sandbox' };

const HELP: Record<string, string> = {
  'one-click': 'https://docs.near-intents.org',
  relay: 'https://docs.relay.link',
};
