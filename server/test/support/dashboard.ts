import { setTimeout as pause } from 'node:timers/promises';
import { type Mailbox, ethereumWallet, mailbox, newestCode } from './logins.ts';
import { startApp, type TestAnswer, type TestApp, type TestAppOptions } from './app.ts';
import type { Merchant } from './merchant.ts';

type Data = any;

/** The service with a mailbox, and the requests of a browser on the dashboard. */
export interface DashboardTest {
  app: TestApp;
  box: Mailbox;
  signIn(email: string): Promise<{ answer: TestAnswer; cookie: string }>;
  signInByWallet(): Promise<{ answer: TestAnswer; cookie: string }>;
  get(path: string, headers: Record<string, string>): Promise<TestAnswer>;
  /** `data` of a response to this merchant's dashboard, in test mode; throws on an error. */
  dashboard(merchant: Merchant, path: string): Promise<Data>;
  page(merchant: Merchant, path: string): Promise<Data>;
  download(merchant: Merchant, query: string): Promise<string>;
  pay(session: { id: string }, action: string): Promise<void>;
}

const OWN = { 'sec-fetch-site': 'same-origin' };

export async function startDashboard({ overrides, ...options }: TestAppOptions = {}): Promise<DashboardTest> {
  const box = mailbox();
  const app = await startApp({ ...options, overrides: { mail: box, ...overrides } });
  const ask = async (merchant: Merchant, path: string) => {
    const answer = await app.inject('GET', path, {
      headers: { cookie: `session=${merchant.loginToken}`, 'service-mode': 'test' },
    });
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status} ${answer.raw.slice(0, 300)}`);
    return answer;
  };
  return {
    app,
    box,
    async signIn(email) {
      await app.inject('POST', '/v1/auth/email/start', { body: { email } });
      const answer = await app.inject('POST', '/dashboard/session/email', {
        body: { email, code: await newestCode(app.ctx, box, email) },
        headers: OWN,
      });
      return { answer, cookie: cookieOf(answer) };
    },
    async signInByWallet() {
      const { address, network, sign } = ethereumWallet();
      const { body } = await app.inject('POST', '/v1/auth/nonce', { body: { address, network } });
      const answer = await app.inject('POST', '/dashboard/session/wallet', {
        body: { address, network, signature: await sign(body.data.nonce) },
        headers: OWN,
      });
      return { answer, cookie: cookieOf(answer) };
    },
    get: (path, headers) => app.inject('GET', path, { headers }),
    dashboard: async (merchant, path) => (await ask(merchant, path)).body.data,
    page: async (merchant, path) => (await ask(merchant, path)).body,
    download: async (merchant, query) => (await ask(merchant, `/dashboard/api/payments.csv?${query}`)).raw,
    async pay({ id }, action) {
      const answer = await app.inject('POST', `/v1/public/checkout/sessions/${id}/test`, { body: { action } });
      if (answer.status !== 200) throw new Error(`${action} answered ${answer.status} ${answer.raw}`);
    },
  };
}

/** Requests are logged once a second. */
export async function logRequestsNow(): Promise<void> {
  await pause(1_300);
}

function cookieOf(answer: TestAnswer): string {
  return String(answer.headers['set-cookie'] ?? '').split(';')[0] ?? '';
}
