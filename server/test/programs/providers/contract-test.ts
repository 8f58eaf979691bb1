import { parseArgs } from 'node:util';
import { request } from 'undici';
import { readConfig } from '../../../src/config.ts';
import { startOneClick } from '../../support/one-click-server.ts';
import { startRelay } from '../../support/relay-server.ts';
import { CHECKS, type Counterpart, subjectOf } from './checks.ts';
import { type Recorder, startRecorder } from './recorder.ts';

class UnreachableError extends Error {}

/**
 * Checks the route providers' adapters, and the servers behind them, against the providers' documentation:
 *
 *   npm run program -- providers             against our doubles of them
 *   npm run program -- providers --live   against the providers that the settings name; needs a network, and pays nothing
 *
 * Ends with 1 where something is not as documented, with 2 where a provider cannot be reached at all.
 */
const { values } = parseArgs({ options: { live: { type: 'boolean', default: false } } });
const stack = new AsyncDisposableStack();
let failed = 0;
let passed = 0;
try {
  const counterparts = values.live ? await liveOnes() : await doubles();
  for (const counterpart of counterparts) await test(counterpart);
  process.stdout.write(
    `${passed} of ${passed + failed} promises hold against ${values.live ? 'the real providers' : 'the doubles'}\n`,
  );
  if (failed > 0) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof UnreachableError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
} finally {
  await stack.disposeAsync();
}

async function test(counterpart: Counterpart): Promise<void> {
  const subject = subjectOf(counterpart);
  for (const { promise, run } of CHECKS) {
    const why = await run(subject).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (why === undefined) passed += 1;
    else failed += 1;
    process.stdout.write(
      `${why === undefined ? 'ok    ' : 'FAILED'}  ${counterpart.name}: ` +
        `${promise}${why === undefined ? '' : `\n${why.replaceAll(/^/gm, '          ')}`}\n`,
    );
  }
  process.stdout.write(
    `        ${counterpart.name}: ${counterpart.exchanges.length} exchanges held against their documented shapes\n`,
  );
}

async function doubles(): Promise<Counterpart[]> {
  const [oneClick, relay] = [
    stack.use(await startOneClick({ key: 'key-of-ours' })),
    stack.use(await startRelay({ key: 'key-of-ours' })),
  ];
  const common = {
    key: 'key-of-ours',
    signer: oneClick.signer,
    feeRecipient: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    feeSharePercent: 50,
  };
  return [
    { name: 'one-click', ...common, ...(await recorded(oneClick.url)) },
    { name: 'relay', ...common, ...(await recorded(relay.url)) },
  ];
}

async function liveOnes(): Promise<Counterpart[]> {
  const {
    routes: { oneClick, relay, feeRecipient },
  } = readConfig();
  await reach(oneClick.url, '/v0/tokens');
  await reach(relay.url, '/chains');
  return [
    {
      name: 'one-click',
      key: oneClick.key,
      signer: oneClick.signer,
      feeRecipient,
      feeSharePercent: oneClick.feeSharePercent,
      ...(await recorded(oneClick.url)),
    },
    { name: 'relay', key: relay.key, signer: '', feeRecipient, feeSharePercent: 0, ...(await recorded(relay.url)) },
  ];
}

async function recorded(url: string): Promise<{ url: string; exchanges: Recorder['exchanges'] }> {
  const recorder = await startRecorder(url);
  stack.defer(() => recorder.stop());
  return recorder;
}

/** Whether the provider can be reached at all; its answers are checked later. */
async function reach(url: string, path: string): Promise<void> {
  try {
    const { body } = await request(`${url}${path}`, { signal: AbortSignal.timeout(15_000) });
    await body.dump();
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    throw new UnreachableError(
      `${new URL(url).host} cannot be reached from here (${code ?? message}). The tests against the real ` +
        'providers need a network; nothing was tested.',
    );
  }
}
