import { afterEach, expect, test, vi } from 'vitest';
import { type BrowserWallet, type ConnectedWallet, watchWallets } from './wallets.ts';

afterEach(() => vi.unstubAllGlobals());

/** The account of the only wallet of a page. */
async function connect({ provider, standard }: { provider?: object; standard?: object }): Promise<ConnectedWallet> {
  const page = new EventTarget();
  for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const)
    vi.stubGlobal(name, page[name].bind(page));
  const announcement = { detail: { info: { uuid: 'one', name: 'Fern' }, provider } };
  page.addEventListener('eip6963:requestProvider', () => {
    if (provider) page.dispatchEvent(Object.assign(new Event('eip6963:announceProvider'), announcement));
  });
  page.addEventListener('wallet-standard:app-ready', (event) => {
    if (standard) (event as CustomEvent).detail.register(standard);
  });
  const found: BrowserWallet[] = [];
  watchWallets((wallets) => void found.push(...wallets))();
  const [wallet] = found;
  if (!wallet) throw new Error('no wallet was found');
  return wallet.connect();
}

/** A wallet that batches, and refuses requests of calls as `refuse` says. */
async function batching(refuse: (calls: number) => object | undefined) {
  const asked: number[] = [];
  const provider = {
    async request({ method, params }: { method: string; params: [{ calls: unknown[] }] }) {
      if (method === 'eth_requestAccounts') return ['0x1'];
      if (method === 'eth_chainId') return '0x1';
      if (method === 'wallet_getCapabilities') return { '0x1': { atomic: { status: 'supported' } } };
      if (method === 'wallet_getCallsStatus')
        return { status: 200, receipts: [{ transactionHash: `hash of ${params}` }] };
      const count = method === 'wallet_sendCalls' ? params[0].calls.length : 1;
      asked.push(count);
      const error = refuse(count);
      if (error) throw error;
      return method === 'wallet_sendCalls' ? { id: asked.length } : `hash of ${asked.length}`;
    },
  };
  return { asked, wallet: await connect({ provider }) };
}

async function sendAll(wallet: ConnectedWallet, count: number) {
  const sent: [place: number, hash: string][] = [];
  const uri = `ethereum:0x${'12'.repeat(20)}@1?value=1`;
  const wanted = { uris: Array.from({ length: count }, () => uri), count, transactions: ['AA=='] };
  const error = await wallet
    .sendAll(wanted, (...one) => void sent.push(one))
    .then(
      () => null,
      (refused) => refused,
    );
  return { sent, error };
}

test.each([
  { code: 5740, message: 'Bundle too large.' },
  { code: -32602, message: 'Batch size cannot exceed 10. got: 50' },
])('a wallet that takes ten calls is asked for ten as soon as that is known: $code', async (error) => {
  const { asked, wallet } = await batching((calls) => (calls > 10 ? error : undefined));
  const { sent } = await sendAll(wallet, 50);
  expect(asked).toEqual([50, 25, 13, 7, 10, 11, 10, 10, 10, 3]);
  expect(sent.map(([place]) => place)).toEqual([...Array(50).keys()]);
  expect(sent.filter(([, hash]) => hash === 'hash of 5').map(([place]) => place)).toEqual([
    7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
  ]);
  asked.length = 0;
  await sendAll(wallet, 20);
  expect(asked).toEqual([10, 10]);
});

test('a wallet that takes no batch at all is asked for one after the other', async () => {
  const { asked, wallet } = await batching((calls) => (calls > 1 ? { code: 5740 } : undefined));
  const { sent } = await sendAll(wallet, 4);
  expect(asked).toEqual([4, 2, 1, 1, 1, 1]);
  expect(sent.map(([place]) => place)).toEqual([0, 1, 2, 3]);
});

test('a wallet that takes fewer of other calls is asked for fewer again', async () => {
  let most = 10;
  const { asked, wallet } = await batching((calls) => (calls > most ? { code: 5740 } : undefined));
  await sendAll(wallet, 12);
  most = 2;
  asked.length = 0;
  const { sent } = await sendAll(wallet, 5);
  expect(sent.map(([place]) => place)).toEqual([0, 1, 2, 3, 4]);
  expect(asked).toEqual([5, 3, 2, 2, 1]);
});

test('of several batches, only the one without an answer may have been sent', async () => {
  let refusals = 0;
  const { wallet } = await batching((calls) => {
    if (calls > 2) return { code: 5740 };
    refusals += 1;
    return refusals === 2 ? { code: -32603 } : undefined;
  });
  const { sent, error } = await sendAll(wallet, 5);
  expect(sent.map(([place]) => place)).toEqual([0, 1]);
  expect(error).toMatchObject({ name: 'Error', places: [2, 3] });
});

test('a refusal that is not about the size ends it', async () => {
  const { asked, wallet } = await batching(() => ({ code: -32602, message: 'Calls to own accounts.' }));
  expect((await sendAll(wallet, 5)).error).toMatchObject({ sentence: 'Your wallet can’t do this. Nothing was sent.' });
  expect(asked).toEqual([5]);
});

const SIGNATURE = '4NewRi1USZuX5shBP7ETnDvFFTV1KJ5DPfMVDqQ3hdLL5ZgV6J4k4rqVvbEyJcHpBnKYgAGhBzp8VfQeKxceNV4p';
const TIMEOUT = `Transaction was not confirmed in 30.00 seconds. Check signature ${SIGNATURE} using the explorer.`;

/** A wallet that prompts for each transaction, one after the other, and ends at the first that fails. */
async function connectSolana(prompt: () => object): Promise<ConnectedWallet> {
  const account = { address: 'So1' };
  const signAndSendTransaction = async (...inputs: object[]) => inputs.map(prompt);
  const features = {
    'standard:connect': { connect: async () => ({ accounts: [account] }) },
    'solana:signMessage': {},
    'solana:signAndSendTransaction': { signAndSendTransaction },
  };
  return connect({ standard: { name: 'Moss', features } });
}

async function sendAllBySolana(wallet: ConnectedWallet, count: number) {
  const sent: [place: number, hash: string][] = [];
  const transactions = Array.from({ length: Math.ceil(count / 8) }, () => 'AA==');
  const failed = await wallet
    .sendAll({ uris: [], count, transactions }, (...one) => void sent.push(one))
    .then(
      () => null,
      (refused) => refused,
    );
  return { sent, failed };
}

async function bySolana(error: object) {
  const wallet = await connectSolana(() => {
    throw error;
  });
  const single = await wallet.send({ uri: '', build: async () => 'AA==' }).catch((refused) => refused);
  return { ...(await sendAllBySolana(wallet, 2)), single };
}

test.each([
  ['names it in words', { message: TIMEOUT }],
  ['names it', { message: 'Expired.', signature: SIGNATURE }],
])('what a Solana wallet sent and lost counts as sent if its error %s', async (_, error) => {
  const { sent, failed, single } = await bySolana(error);
  expect(failed).toBeNull();
  expect(sent).toEqual([
    [0, SIGNATURE],
    [1, SIGNATURE],
  ]);
  expect(single).toBe(SIGNATURE);
});

test('what a Solana wallet may have sent waits for a person if its error names no transaction', async () => {
  const { sent, failed } = await bySolana({ message: 'Timeout.' });
  expect(sent).toEqual([]);
  expect(failed).toMatchObject({ places: [0, 1] });
});

test('what a person rejected was not sent, whatever the error names', async () => {
  const { failed } = await bySolana({ code: 4001, message: TIMEOUT });
  expect(failed).toMatchObject({ sentence: 'You rejected the request in your wallet. Nothing was sent.' });
});

/** Three transactions: the first is sent, the second fails. */
async function secondFails(error: object) {
  let prompts = 0;
  const wallet = await connectSolana(() => {
    prompts += 1;
    if (prompts > 1) throw error;
    return { signature: new Uint8Array([1]) };
  });
  return sendAllBySolana(wallet, 17);
}

test('what a Solana wallet sent before a person rejected the next transaction stays sent', async () => {
  const { sent, failed } = await secondFails({ code: 4001 });
  expect(sent).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((place) => [place, '2']));
  expect(failed).not.toHaveProperty('places');
});

test('of several transactions, only the one without an answer may have been sent', async () => {
  const { sent, failed } = await secondFails({ message: 'Timeout.' });
  expect(sent).toHaveLength(8);
  expect(failed).toMatchObject({ places: [8, 9, 10, 11, 12, 13, 14, 15] });
});
