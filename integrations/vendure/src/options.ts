import { Quittance } from '@quittance/sdk';

export interface QuittanceOptions {
  /** A secret key of the service: `sk_live_…`, or `sk_test_…` for a shop that tests. */
  key: string;
  /** The address of the service. */
  baseUrl: string;
  /** The `whsec_…` of the endpoint that posts to `/quittance/webhooks` of this server. */
  webhookSecret: string;
  /** The public address of this server: customers return by `/quittance/return/{order}` of it. */
  serverUrl: string;
  /** Where a customer who has paid goes in the storefront. `{order}` becomes the code of their order. */
  returnUrl: string;
  /** Where a customer who gives up goes. Default: the checkout page offers no way back. */
  cancelUrl?: string;
}

let current: { options: QuittanceOptions; client: Quittance } | undefined;

/** Called once, before the shop starts. */
export function configure(options: QuittanceOptions): void {
  for (const name of ['key', 'baseUrl', 'webhookSecret', 'serverUrl', 'returnUrl'] as const)
    if (!options[name]) throw new TypeError(`QuittancePlugin.init needs \`${name}\`. Is its environment variable set?`);
  // A customer waits for the answer, and so does the service that posts a webhook.
  const client = new Quittance(options.key, { baseUrl: options.baseUrl, timeoutMs: 8_000, maxRetries: 1 });
  current = { options, client };
}

/** The settings of this shop, and its client. */
export function configured(): { options: QuittanceOptions; client: Quittance } {
  if (current === undefined) throw new Error('Add QuittancePlugin.init({ … }) to the plugins of the Vendure config.');
  return current;
}

/** Whether this shop takes money, or only tests. */
export function isLive(): boolean {
  return configured().options.key.startsWith('sk_live_');
}
