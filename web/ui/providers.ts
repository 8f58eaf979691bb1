/** A provider of conversions as people know it. */
export function providerName(slug: string): string {
  return NAMES[slug] ?? slug;
}

/** Where a provider of conversions documents how to get help; null where nowhere is known. */
export function providerHelp(slug: string): string | null {
  return HELP[slug] ?? null;
}

const NAMES: Record<string, string> = { 'one-click': 'NEAR Intents', relay: 'Relay', sandbox: 'Sandbox' };

const HELP: Record<string, string> = {
  'one-click': 'https://docs.near-intents.org',
  relay: 'https://docs.relay.link',
};
