import { type App, createApp } from './app.ts';
import { readConfig } from './config.ts';
import { greeting } from './greeting.ts';
import { CannotStart } from './platform/errors.ts';

let app: App | undefined;
try {
  app = await createApp(readConfig());
  const close = () => void app?.close().then(() => process.exit(0));
  // A second signal does what it does everywhere: it ends the process at once.
  process.once('SIGINT', close).once('SIGTERM', close);
  const url = await app.open();
  if (app.ctx.config.profile === 'development' && app.ctx.config.role !== 'worker') process.stdout.write(await greeting(app.ctx, url, { demo: process.argv.includes('--demo') }));
} catch (error) {
  await app?.close();
  if (!(error instanceof CannotStart)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
