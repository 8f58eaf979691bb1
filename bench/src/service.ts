import { createApp } from '../../server/src/app.ts';
import { readConfig } from '../../server/src/config.ts';
import { Pace } from '../../server/src/platform/http/admission/pace.ts';
import { newId } from '../../server/src/platform/ids.ts';
import { createApiKey } from '../../server/src/resources/accounts/api-keys.ts';
import { findOrCreateEmailAccount } from '../../server/src/resources/accounts/store.ts';
import { endWithBench } from './ends.ts';

const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** The service's first message once it answers. */
export interface Service {
  port: number;
  accountId: string;
  key: string;
}

// The real service without its worker, which would send the bench's webhooks to an unreachable address.
// One account may ask for all that the service can answer: the bench measures its speed, not its limit.
const app = await createApp(readConfig(), {
  pace: new Pace({ atOnce: UNLIMITED, bytesPerSecond: UNLIMITED, bytesPerSecondOfAll: UNLIMITED }),
});
const address = await app.open({ work: false });
const now = await app.ctx.db.now();
const merchant = await app.ctx.db.transaction(async (db) => {
  const accountId = await findOrCreateEmailAccount(db, { id: newId('acc'), email: 'bench@merchant.example', now });
  return {
    accountId,
    key: (await createApiKey(db, { id: accountId, realNow: now }, { livemode: false, label: null })).secret,
  };
});
process.send?.({ port: Number(new URL(address).port), ...merchant } satisfies Service);

endWithBench(() => app.close());
