/** What a key can be limited to, and what each scope allows. Reading is never included in writing. */
export const SCOPES = {
  'sessions:read': 'Read checkout sessions.',
  'sessions:write': 'Create checkout sessions.',
  'links:read': 'Read payment links.',
  'links:write': 'Create, disable and enable payment links.',
  'payments:read': 'Read payments, timelines and receipts.',
  'payments:write': 'Record that a payment was refunded.',
  'refunds:read': 'Read refunds.',
  'refunds:write': 'Plan refunds, report that they were sent, and cancel them.',
  'quotes:read': 'Ask what a payment would cost.',
  'wallets:read': 'Read payout wallets.',
  'wallets:write': 'Save payout wallets, if the account allows keys to do so.',
  'webhooks:read': 'Read webhook endpoints and deliveries.',
  'webhooks:write': 'Create, change, test and delete webhook endpoints, and deliver again.',
  'events:read': 'Read and stream events.',
  'transfers:read': 'Read transfers.',
  'account:read': 'Read the account.',
  'test:write': 'Pay and move the clock in test mode.',
} as const;

export type Scope = keyof typeof SCOPES;
export const SCOPE_NAMES = Object.keys(SCOPES) as [Scope, ...Scope[]];

/** Whether a key with these scopes may call an endpoint. Null means a full key; an endpoint without a scope is for full keys only. */
export function allowsScope(scopes: readonly string[] | null, needed: Scope | 'any' | undefined): boolean {
  return scopes === null || needed === 'any' || (needed !== undefined && scopes.includes(needed));
}
