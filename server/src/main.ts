import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { CannotStart } from './platform/errors.ts';

try {
  const app = await createApp(readConfig());
  const leave = (signal: NodeJS.Signals) => {
    app.ctx.log.info({ signal }, 'closing');
    void app.close().then(() => process.exit(0));
  };
  process.once('SIGINT', leave).once('SIGTERM', leave);
  await app.open();
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
