import { base58 } from '@scure/base';
import { isAddress } from 'viem';
import type { Environment } from './environment.ts';

const ROUTE_PROVIDERS = ['one-click', 'relay'] as const;

/** The route providers, and what they may cost. */
export interface RoutesConfig {
  providers: (typeof ROUTE_PROVIDERS)[number][];
  oneClick: { url: string; key: string | null; signer: string; feeSharePercent: number };
  relay: { url: string; key: string | null };
  feeRecipient: string | null;
  /** How much more the input of a route may be worth than its output, in percent, before the customer is warned. */
  warnAbovePercent: number;
  refuseAbovePercent: number;
}

export function readRoutes(env: Environment): RoutesConfig {
  const [warnAbovePercent, refuseAbovePercent] = [
    env.integer('ROUTES_WARN_ABOVE', 0, 1_000),
    env.integer('ROUTES_REFUSE_ABOVE', 0, 1_000),
  ];
  if (warnAbovePercent > refuseAbovePercent) env.mistake('ROUTES_WARN_ABOVE must not be above ROUTES_REFUSE_ABOVE');
  return {
    providers: env.text('ROUTES') === 'none' ? [] : env.listOf('ROUTES', ROUTE_PROVIDERS, 'none'),
    oneClick: {
      url: env.url('ROUTES_ONECLICK_URL'),
      key: env.key('ROUTES_ONECLICK_KEY'),
      signer: readSigner(env),
      feeSharePercent: env.integer('ROUTES_ONECLICK_FEE_SHARE', 0, 100),
    },
    relay: { url: env.url('ROUTES_RELAY_URL'), key: env.key('ROUTES_RELAY_KEY') },
    feeRecipient: readFeeRecipient(env),
    warnAbovePercent,
    refuseAbovePercent,
  };
}

/** With another key every quote would be refused, and no one could pay by a route. */
function readSigner(env: Environment): string {
  const text = env.text('ROUTES_ONECLICK_SIGNER');
  if (!/^ed25519:/.test(text) || !isBase58(text.slice('ed25519:'.length), 32))
    env.mistake(`ROUTES_ONECLICK_SIGNER must be a key like ed25519:reYaWhvw…, not "${text}"`);
  return text;
}

/** Fees that go to a misspelled account are lost. */
function readFeeRecipient(env: Environment): string | null {
  const text = env.optional('ROUTES_FEE_RECIPIENT');
  const isNamed = (name: string) => /^[a-z0-9]+([._-][a-z0-9]+)*$/.test(name) && name.length >= 2 && name.length <= 64;
  if (text !== null && !(/^0x/i.test(text) ? isAddress(text) : isNamed(text)))
    env.mistake(
      `ROUTES_FEE_RECIPIENT must be an Ethereum address with its checksum, or an account of NEAR Intents like fees.near, not "${text}"`,
    );
  return text;
}

/** Whether a text is this number of bytes in base58. */
export function isBase58(text: string, bytes: number): boolean {
  try {
    return text.length <= 2 * bytes && base58.decode(text).length === bytes;
  } catch {
    return false;
  }
}
