import type { ReceiveNetwork } from '@quittance/contract';
import type { Logger } from 'pino';
import type { Caches } from './caches.ts';
import type { Config } from './config.ts';
import type { AllLines } from './lines.ts';
import type { Chain } from './outside/chains/chain.ts';
import type { ContractWalletVerifier } from './outside/chains/contract-wallet.ts';
import type { Facilitator } from './outside/facilitators/facilitator.ts';
import type { Outbound } from './outside/http/outbound.ts';
import type { Pictures } from './outside/http/pictures.ts';
import type { Mailer } from './outside/mail/mail.ts';
import type { Prices } from './outside/prices/prices.ts';
import type { Router } from './outside/routers/router.ts';
import type { Database } from './platform/db/db.ts';
import type { Feeds } from './platform/db/feed.ts';
import type { Pace } from './platform/http/admission/pace.ts';
import type { RaisedAlarms } from './platform/log.ts';
import type { Secrets } from './platform/secrets.ts';
import type { Conversions } from './resources/checkout-sessions/conversion-budget.ts';
import type { LookBudget } from './resources/outgoing-transfers/look-budget.ts';

/** Everything long-lived, built once in `app.ts` and passed as the first argument. */
export interface Context {
  config: Config;
  db: Database;
  log: Logger;
  secrets: Secrets;
  mail: Mailer;
  /** Posts webhooks to merchants' endpoints; checks every address. */
  outbound: Outbound;
  /** Merchants' logos, fetched behind the same guard. */
  pictures: Pictures;
  /** The live networks; test mode never uses them. */
  chains: ReadonlyMap<ReceiveNetwork, Chain>;
  /** The services that send payments which programs have only signed, by live network. */
  facilitators: ReadonlyMap<ReceiveNetwork, Facilitator>;
  contractWallets: ContractWalletVerifier;
  prices: Prices;
  /** In the order in which they are asked. */
  routers: readonly Router[];
  /** The only provider of test mode. */
  sandboxRouter: Router;
  caches: Caches;
  /** Streams and requests that wait for a change. */
  feeds: Feeds;
  /** What long answers of one account may cost. */
  pace: Pace;
  lines: AllLines;
  /** What one account and its clients may ask of route providers. */
  conversions: Conversions;
  /** How many transactions are looked up for one account. */
  lookBudget: LookBudget;
  /** Those of this process that no mail has named yet. */
  raisedAlarms: RaisedAlarms;
}
