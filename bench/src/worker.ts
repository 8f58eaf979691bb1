import { once } from 'node:events';
import { createApp } from '../../server/src/app.ts';
import { readConfig } from '../../server/src/config.ts';
import { createMonth, monthOf } from '../../server/src/resources/webhooks/events/partition-store.ts';
import { deliveriesJob } from '../../server/src/resources/webhooks/delivery/deliver.ts';
import { sealSecret } from '../../server/src/resources/webhooks/delivery/signature.ts';
import { startWork } from '../../server/src/work.ts';
import { endWithBench } from './ends.ts';

// The real worker with deliveries alone.
const app = await createApp(readConfig());
const { db, secrets } = app.ctx;
await createMonth(db, monthOf(await db.now()));
const endpoints = await db.query<{ id: string }>(
  'bench_endpoints',
  `select id from webhook_endpoints where secret = '\\x00'`,
);
for (const { id } of endpoints) {
  const secret = `whsec_${Buffer.from(id).subarray(0, 24).toString('base64')}`;
  await db.query('bench_secret', 'update webhook_endpoints set secret = $2 where id = $1', [
    id,
    sealSecret(secrets, id, secret),
  ]);
}
let work: ReturnType<typeof startWork> | undefined;
endWithBench(async () => {
  await work?.stop();
  await app.close();
});
process.send?.({ ready: true });

await once(process, 'message');
work = startWork(app.ctx, [deliveriesJob()]);
