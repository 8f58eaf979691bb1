import { type App, createApp, requireFreePorts } from './app.ts';
import { packageVersion, readConfig } from './config.ts';
import { greeting } from './greeting.ts';
import { endOnSignal } from './platform/end-on-signal.ts';
import { StartupError } from './platform/errors.ts';
import { keepHeapSmall, releaseStartMemory } from './platform/memory.ts';

const isDemo = process.argv.includes('--demo') && process.env.PROFILE !== 'production';
keepHeapSmall();
await start();

async function start(): Promise<void> {
  let app: App | undefined;
  endOnSignal(() => app?.close());
  try {
    // The demo shows its greeting, not a log line for each request.
    const settings = readConfig(isDemo ? { LOG_LEVEL: 'warn', ...process.env } : process.env);
    await requireFreePorts(settings);
    app = await createApp(settings);
    const url = await app.open();
    const { profile, role } = app.ctx.config;
    app.ctx.log.info(
      { url, publicUrl: app.ctx.config.publicUrl, profile, role, version: packageVersion(), node: process.version },
      'server started',
    );
    if (profile === 'development' && role !== 'worker')
      process.stdout.write(await greeting(app.ctx, url, { demo: isDemo }));
    releaseStartMemory();
  } catch (error) {
    await app?.close();
    if (!(error instanceof StartupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  }
}
