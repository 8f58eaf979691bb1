import { afterEach, expect, test, vi } from 'vitest';
import type { EthereumProvider } from '../../wallets/announced.ts';
import type { PublicPayment } from '../page-state.ts';
import { payBySignature } from './gasless.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const PAYER = `0x${'a1'.repeat(20)}`;
const ADDRESS = `0x${'b2'.repeat(20)}`;
const TOKEN = `0x${'c3'.repeat(20)}`;
const payment = {
  network: 'ethereum',
  asset: 'USDC',
  amount: '49.000000',
  address: ADDRESS,
  uri: `ethereum:${TOKEN}@1/transfer?address=${ADDRESS}&uint256=49000000`,
  tag: null,
  identified_by: 'amount',
} as unknown as PublicPayment;

const answers: Record<string, unknown> = {
  eth_requestAccounts: [PAYER],
  eth_chainId: '0x1',
  eth_call: '0xffffffff',
  eth_signTypedData_v4: '0x5c',
};
const provider = { request: async ({ method }: { method: string }) => answers[method] } as EthereumProvider;
const typed = {
  domain: { chainId: 1, verifyingContract: TOKEN },
  primaryType: 'TransferWithAuthorization',
  message: { from: PAYER, to: ADDRESS, value: '49000000', validBefore: '1900000000' },
};
const ready = { state: 'ready', challenge: 'one', typed_data: typed };

const guide = { report: () => undefined, check: async () => undefined };

test('a signature whose answer is cut off is sent again, because the service may have it', async () => {
  vi.useFakeTimers();
  const posted: unknown[] = [];
  vi.stubGlobal('fetch', async (_: string, request?: RequestInit) => {
    if (request?.method !== 'POST') return Response.json(ready);
    posted.push(request.body);
    return posted.length === 1 ? new Response('{"sta') : Response.json({ state: 'pending' });
  });
  const paid = payBySignature(provider, 'cs_1', payment, guide).then(
    (untilMs) => untilMs,
    (error) => error,
  );
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await paid).toBe(0);
  expect(posted).toHaveLength(2);
  expect(posted[1]).toBe(posted[0]);
});

const END_MS = 1_900_000_000_000;
test.each<[string, unknown, number, () => Promise<Response>]>([
  ['each answer of the service is lost', ready, END_MS, () => Promise.reject(new TypeError())],
  ['the service is busy', ready, END_MS, async () => Response.json({}, { status: 429 })],
  ['another payment is under way', ready, END_MS, async () => Response.json({}, { status: 409 })],
  ['another tab has sent one', { state: 'pending' }, 0, async () => Response.json({}, { status: 402 })],
])('a signature counts as sent if %s', async (_, asked, untilMs, answer) => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', async (_path: string, request?: RequestInit) =>
    request?.method === 'POST' ? answer() : Response.json(asked),
  );
  const paid = payBySignature(provider, 'cs_1', payment, guide).catch((error) => error);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await paid).toBe(untilMs);
});

test.each([
  ['rejected', new Response('{}', { status: 402 })],
  ['found void', Response.json({ state: 'void' })],
])('a signature that is %s was not sent', async (_, answer) => {
  vi.stubGlobal('fetch', async (_path: string, request?: RequestInit) =>
    request?.method === 'POST' ? answer : Response.json(ready),
  );
  await expect(payBySignature(provider, 'cs_1', payment, guide)).rejects.toMatchObject({ key: 'gasless_refused' });
});

test('while money for the checkout is on its way, the page says so instead of asking for another try', async () => {
  vi.stubGlobal('fetch', async () => Response.json({}, { status: 409 }));
  await expect(payBySignature(provider, 'cs_1', payment, guide)).rejects.toMatchObject({ key: 'error_state' });
});
