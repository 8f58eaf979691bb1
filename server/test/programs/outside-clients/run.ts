import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateTestHeader } from '@quittance/sdk/webhooks';
import { generatePrivateKey } from 'viem/accounts';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { type Project, startProject } from '../../support/guides.ts';
import { createTestDatabase, startApp } from '../../support/index.ts';
import { startTestServer } from '../../support/global-setup.ts';

/**
 * Packages of others that are too large for `npm ci`, from npm, against a running service in test mode: the guides'
 * programs as they are printed.
 *
 *     npm run program -- outside-clients
 */
const X402 = ['x402-fetch@1.2.0'];
const NEXT = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'];
const SECRET = 'whsec_dGVzdA==';
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const cache = join(root, '.cache/outside-clients');
const say = (line: string) => void process.stderr.write(`${Math.round(performance.now() / 1000)} s  ${line}\n`);

const [old, next] = [install('x402', X402), install('next', NEXT)];

const server = await startTestServer('outside_clients');
const database = await createTestDatabase(server.testDatabase);
const app = await startApp({ listen: true, work: true, database });
await app.merchant.createWallet();
const port = await freePort();
const project = await startProject({
  url: app.url,
  key: app.merchant.testKey,
  port,
  env: { PRIVATE_KEY: generatePrivateKey() },
});
for (const name of ['x402-fetch', 'viem'])
  symlinkSync(join(old, 'node_modules', name), join(project.folder, 'node_modules', name), 'dir');

const session = await app.merchant.createSession({ amount: '49.00' });
await expectLine('x402-fetch pays 49.00 as the guide prints it', '200 paid', async () =>
  (await project.node('x402-v1.mjs', `${app.url}/checkout/${session.id}`)).trim(),
);
await nextShop(project);
await project[Symbol.asyncDispose]();
await app.stop();
await server.stop();

/** Builds and starts the files of the guide, 'app/layout.js', 'app/page.js' and two routes, in a real Next.js. */
async function nextShop({ folder }: Project): Promise<void> {
  const env = {
    ...process.env,
    NEXT_TELEMETRY_DISABLED: '1',
    QUITTANCE_KEY: app.merchant.testKey,
    QUITTANCE_URL: app.url,
    WEBHOOK_SECRET: SECRET,
  };
  const shop = join(next, 'shop');
  execFileSync('rm', ['-rf', shop]);
  mkdirSync(join(shop, 'node_modules/@quittance'), { recursive: true });
  execFileSync('cp', ['-r', join(folder, 'app'), shop]);
  writeFileSync(join(shop, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  // From archives, as a merchant gets them.
  for (const name of ['sdk', 'integrations']) {
    const archive = await fetch(`${app.url}/docs/quittance-${name}.tgz`);
    writeFileSync(join(shop, `${name}.tgz`), Buffer.from(await archive.arrayBuffer()));
    execFileSync('tar', ['xzf', `${name}.tgz`], { cwd: shop });
    execFileSync('mv', ['package', `node_modules/@quittance/${name}`], { cwd: shop });
  }
  const bin = join(next, 'node_modules/next/dist/bin/next');
  say('next build');
  execFileSync(process.execPath, [bin, 'build'], { cwd: shop, env: { ...env, WEBHOOK_SECRET: '' }, stdio: 'inherit' });
  const server = spawn(process.execPath, [bin, 'start', '-p', String(port)], {
    cwd: shop,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let printed = '';
    const line = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => printed.includes(text) && resolve();
        server.stdout.on('data', look);
        look();
      });
    server.stdout.on('data', (chunk) => void (printed += chunk));
    await line('Ready');
    const url = `http://localhost:${port}`;
    await expectLine('Next.js shows the page', 'true', async () =>
      String((await (await fetch(url)).text()).includes('Buy a fern')),
    );
    await expectLine('Next.js sends the customer to a checkout', '303 checkout', async () => {
      const answer = await fetch(`${url}/checkout`, { method: 'POST', redirect: 'manual' });
      return `${answer.status} ${answer.headers.get('location')?.split('/').at(-2)}`;
    });
    const data = { id: 'pay_1', order_id: 'order-7', sequence: 3, created_at: '2026-03-14T09:20:00Z' };
    const body = JSON.stringify({ id: 'evt_1', type: 'payment.paid', created: '2026-03-14T09:26:53Z', data });
    await expectLine('Next.js takes a signed event and refuses another', '200 400', async () => {
      const post = async (secret: string) => {
        const headers = { 'service-signature': await generateTestHeader(body, secret) };
        return (await fetch(`${url}/webhooks`, { method: 'POST', body, headers })).status;
      };
      return `${await post(SECRET)} ${await post('whsec_other')}`;
    });
    await line('fulfill order-7');
  } finally {
    server.kill('SIGKILL');
  }
}

/** A folder with these packages, which is kept for the next run. */
function install(name: string, packages: string[]): string {
  const folder = join(cache, name);
  mkdirSync(folder, { recursive: true });
  say(`installing ${packages.join(', ')}`);
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder];
  execFileSync('npm', ['install', ...quiet, ...packages], { stdio: 'inherit' });
  return folder;
}

async function expectLine(what: string, expected: string, work: () => Promise<string>): Promise<void> {
  const found = await work();
  say(`${found === expected ? 'ok' : 'FAILED'}  ${what}: ${found}`);
  if (found !== expected) process.exitCode = 1;
}
