import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { type Project, startProject } from '../support/guides.ts';
import { startApp, type TestApp } from '../support/index.ts';

let app: TestApp;
let project: Project;

beforeAll(async () => {
  app = await startApp({ listen: true, work: true });
  await app.merchant.createWallet();
  const env = { PRIVATE_KEY: generatePrivateKey() };
  project = await startProject({ url: app.url, key: app.merchant.testKey, port: 4000, env });
  await project.install(project.block('programs.md', 'npm install @x402/fetch'));
});
afterAll(async () => {
  await project?.[Symbol.asyncDispose]();
  await app?.stop();
});

test('the settings of a facilitator are read as the guide writes them', () => {
  const lines = project.block('programs.md', 'X402_FACILITATOR_BASE_URL=').replace('…', 'token').trim().split('\n');
  const variables = Object.fromEntries(lines.map((line) => line.split('=')));
  expect(readConfig(variables).facilitators).toEqual({
    base: { url: 'https://facilitator.example.com', token: 'token' },
  });
});

test('a program pays a test checkout without money, as the guide for programs says', async () => {
  const [asked, paid] = (await project.node('buy.mjs')).split('\n');
  expect(asked).toMatch(/^402 49\d{6} of 0x036CbD53842c5426634e7929541eC2318f3dCF7e to 0x[0-9a-fA-F]{40}$/);
  expect(paid).toBe('200 paid true');
});

test.each(['x402.mjs', 'mppx.mjs'])(
  'a published client pays a test checkout as its guide prints it: %s',
  async (file) => {
    const session = await app.merchant.createSession({ amount: '49.00' });
    expect(await project.node(file, `${app.url}/checkout/${session.id}`)).toBe('200 paid\n');
  },
);
