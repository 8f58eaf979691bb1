import { randomBytes } from 'node:crypto';
import type { ReceiveNetwork } from '@quittance/contract';
import { type Address, getAddress, type Hex, toHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Chain } from '../../src/outside/chains/chain.ts';
import { createEvmChain } from '../../src/outside/chains/evm/chain.ts';
import { rescan } from '../../src/settlement/rescan.ts';
import { startAnvil, type TestChain, transferCalldata } from '../support/anvil.ts';
import { authorizationCall, signAuthorization } from '../support/authorizations.ts';
import { lieAbout, type Lies, noLies } from '../support/evm-lies.ts';
import { type Raw, type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';
import { recording } from '../support/recording.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

/** Payments of which one provider changes one field each, and what it changes. */
const CHANGED = ['amount', 'from', 'to', 'time', 'tag', 'nonce', 'order of logs', 'left out'] as const;
type Changed = (typeof CHANGED)[number];

const STRANGER = getAddress(toHex(randomBytes(20)));
const TEN_MINUTES = 600;
/** Money of a stranger. */
const NEVER_CAME = 500_000_000n;
/** No exact amount of another session. */
const MORE = 100_000n;

/** A shop whose providers are one liar and some honest ones, in the given order. */
interface LiedTo extends AsyncDisposable {
  shop: Settlement;
  liar: RpcProxy;
  lies: Lies;
  lines: Record<string, unknown>[];
  sessions: Map<Changed | 'first block', Paid>;
  /** The providers from now on: the honest ones only. */
  removeLiar(): Promise<void>;
}

interface Paid {
  sessionId: string;
  txHash: string;
}

async function startLiedTo(honestCount: number, liarIs: 'first' | 'last'): Promise<LiedTo> {
  const stack = new AsyncDisposableStack();
  const chain: TestChain = stack.use(await startAnvil());
  const liar = stack.use(await startRpcProxy(chain.url));
  const honest: RpcProxy[] = [];
  for (let one = 0; one < honestCount; one += 1) honest.push(stack.use(await startRpcProxy(chain.url)));
  const lies = noLies();
  liar.lie = lieAbout(lies);
  const lines: Record<string, unknown>[] = [];
  const order = (liarIs === 'first' ? [liar, ...honest] : [...honest, liar]).map(({ url }) => url);
  const shop = stack.use(
    await startSettlement({
      chain,
      coin: 'DollarCoin',
      env: { RPC_ETHEREUM_URLS: order.join(',') },
      overrides: { log: recording(lines) },
    }),
  );
  return {
    shop,
    liar,
    lies,
    lines,
    sessions: new Map(),
    async removeLiar() {
      const rpcUrls = honest.length > 0 ? honest.map(({ url }) => url) : [chain.url];
      const settings = shop.app.config.networks.ethereum;
      const tuning = { pauseMs: { first: 1, longest: 2 } };
      const only = createEvmChain({ network: 'ethereum', ...settings, rpcUrls, tuning }, shop.ctx.log);
      stack.defer(() => only.close());
      for (const chains of [shop.ctx.chains, shop.app.ctx.chains])
        (chains as Map<ReceiveNetwork, Chain>).set('ethereum', only);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Pays a session for each lie, and money of a stranger that the liar shows as the merchant's. */
async function payAll({ shop, lies, sessions }: LiedTo, expiresIn: number): Promise<string> {
  const { chain, usdc, wallet } = shop;
  const [, , payer, relayer] = chain.accounts as [never, never, PrivateKeyAccount, PrivateKeyAccount];
  const batcher = await chain.deploy('Batcher');
  await chain.transferErc20({ token: usdc, to: batcher, amount: 1_000_000_000n });
  const call = (to: Address, amount: bigint) => ({ target: usdc, data: transferCalldata(to, amount) });
  // Prepared before the payment is mined, so that the liar never shows the truth.
  const pay = async (
    lie: Changed,
    send: (paid: { id: string; amountUnits: bigint; tag: Uint8Array }) => Promise<string>,
  ) => {
    const session = await shop.checkout({ expires_in: expiresIn });
    sessions.set(lie, { sessionId: session.id, txHash: await send(session) });
  };
  await pay('amount', async ({ amountUnits }) => {
    const hash = await shop.send(amountUnits);
    lies.amounts.set(hash, amountUnits - 4_000_000n);
    return hash;
  });
  await pay('from', async ({ amountUnits }) => {
    const hash = await shop.send(amountUnits);
    lies.senders.set(hash, STRANGER);
    return hash;
  });
  await pay('to', async ({ amountUnits }) => {
    const hash = await shop.send(amountUnits);
    lies.recipients.set(hash, { real: wallet, shown: STRANGER });
    return hash;
  });
  await pay('time', async ({ amountUnits }) => {
    const hash = await shop.send(amountUnits);
    lies.times.set((await chain.included(hash as Hex)).blockNumber, TEN_MINUTES);
    return hash;
  });
  await pay('tag', async ({ amountUnits, tag }) => {
    const hash = await shop.send(amountUnits + MORE, { tag });
    lies.untagged.add(hash);
    return hash;
  });
  await pay('nonce', async ({ id, amountUnits }) => {
    const signed = await signAuthorization(chain, usdc, payer, { to: wallet, value: amountUnits + MORE });
    await shop.ctx.db.query(
      'test_remember_authorization',
      `insert into machine_credentials (id, payment_id, livemode, network, protocol, kind, replay_key, payer, token, nonce, state, created_at)
       select $1, p.id, true, 'ethereum', 'x402', 'authorization', $2, $3, $4, $5, 'open', $6 from payments p where p.session_id = $7`,
      [
        `mc_${randomBytes(12).toString('hex')}`,
        randomBytes(32),
        signed.from,
        usdc,
        Buffer.from(signed.nonce.slice(2), 'hex'),
        new Date(),
        id,
      ],
    );
    const hash = await chain.send({ from: relayer.address, to: usdc, data: authorizationCall(signed) });
    lies.nonces.set(hash, toHex(randomBytes(32)));
    return hash;
  });
  await pay('order of logs', async ({ amountUnits }) => {
    const hash = await chain.batch(batcher, [call(wallet, amountUnits), call(wallet, 5_000_000n)]);
    const { logs } = await chain.rpc<{ logs: Raw[] }>('eth_getTransactionReceipt', [hash]);
    lies.swapped.set(hash, logs as [Raw, Raw]);
    return hash;
  });
  await pay('left out', async ({ amountUnits }) => {
    const hash = await shop.send(amountUnits);
    lies.leftOut.add(hash);
    return hash;
  });
  const added = await chain.batch(batcher, [call(wallet, 1_000_000n), call(STRANGER, NEVER_CAME)]);
  lies.recipients.set(added, { real: STRANGER, shown: wallet });
  return added;
}

async function statusOf({ shop, sessions }: LiedTo, changed: Changed | 'first block'): Promise<string | undefined> {
  return (await shop.walk(sessions.get(changed)?.sessionId ?? '')).at(-1);
}

function alarmsAbout({ lines, liar }: LiedTo, txHash: string | undefined): Record<string, unknown>[] {
  const name = new URL(liar.url).host;
  return lines.filter(
    (line) => line.alarm !== undefined && line.txHash === txHash && JSON.stringify(line).includes(name),
  );
}

async function transferOf({ shop }: LiedTo, txHash: string) {
  return shop.ctx.db.query<{ status: string; confirmed: boolean; amountUnits: bigint }>(
    'test_transfer_of',
    'select status, confirmed, amount_units from transfers where tx_hash = $1 and amount_units = $2',
    [txHash, NEVER_CAME],
  );
}

/** Both passes read everything, every turn of verification is served, and time passes for what may stay in doubt. */
async function watchOn({ shop }: LiedTo, rounds = 4): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await shop.pass(61);
    await shop.settle();
    await shop.watch();
  }
}

describe.each([
  [2, 'first'],
  [2, 'last'],
  [3, 'first'],
  [3, 'last'],
] as const)('%d providers, of which the %s lies about one field of each payment', (count, liarIs) => {
  let here: LiedTo;
  let added: string;

  beforeAll(async () => {
    here = await startLiedTo(count - 1, liarIs);
    await here.shop.settle();
    added = await payAll(here, 1_800);
    await here.shop.settle();
    await watchOn(here);
  });
  afterAll(() => here[Symbol.asyncDispose]());

  test.each(CHANGED)('a changed %s: the payment is paid, or an alarm names the provider', async (changed) => {
    const isPaid = (await statusOf(here, changed)) === 'paid';
    const isAlarmed = alarmsAbout(here, here.sessions.get(changed)?.txHash).length > 0;
    if (count === 3) expect(isPaid).toBe(true);
    else expect(isPaid || isAlarmed).toBe(true);
  });

  test("money of a stranger that the liar shows as the merchant's is never final, and an alarm names the provider", async () => {
    const rows = await transferOf(here, added);
    expect(rows.filter(({ status }) => status === 'final')).toEqual([]);
    if (rows.length > 0) expect(alarmsAbout(here, added)).not.toEqual([]);
  });

  test('without the liar every payment is paid, though its session may have expired, and nothing is left that never came', async () => {
    await here.shop.pass(3_600);
    await here.shop.settle();
    await here.shop.expire();
    await here.removeLiar();
    await watchOn(here, 2);
    for await (const _ of rescan(here.shop.ctx, 'ethereum', 1n));
    await watchOn(here, 2);
    const ends = await Promise.all(CHANGED.map(async (changed) => [changed, await statusOf(here, changed)]));
    expect(ends).toEqual(CHANGED.map((changed) => [changed, 'paid']));
    expect((await transferOf(here, added)).filter(({ status }) => status !== 'dropped')).toEqual([]);
  });
});

describe.each([
  [2, 'first'],
  [2, 'last'],
  [3, 'first'],
  [3, 'last'],
] as const)('%d providers, of which the %s dates every block an hour early', (count, liarIs) => {
  test('the first payment is read although no block was read before', async () => {
    await using here = await startLiedTo(count - 1, liarIs);
    const { shop, lies } = here;
    lies.times.set('all', 3_600);
    const { id, amountUnits } = await shop.checkout();
    const txHash = await shop.send(amountUnits);
    here.sessions.set('first block', { sessionId: id, txHash });
    await shop.chain.mine(5);
    await watchOn(here);
    const isPaid = (await statusOf(here, 'first block')) === 'paid';
    if (count === 3) expect(isPaid).toBe(true);
    else expect(isPaid || alarmsAbout(here, txHash).length > 0).toBe(true);
  });
});

describe('a single provider that lied until it was replaced', () => {
  let here: LiedTo;
  let added: string;

  beforeAll(async () => {
    here = await startLiedTo(0, 'first');
    await here.shop.settle();
    added = await payAll(here, 600);
    await here.shop.settle();
    await here.shop.pass(700);
    await here.shop.settle();
    await here.shop.expire();
    await here.removeLiar();
  });
  afterAll(() => here[Symbol.asyncDispose]());

  test.each(['amount', 'time', 'tag', 'nonce'] as const)(
    "a customer's hint heals what it stored with another %s, though the session has expired",
    async (changed) => {
      const { sessionId, txHash } = here.sessions.get(changed) as Paid;
      expect(await statusOf(here, changed)).toBe('expired');
      const answer = await here.shop.app.inject('POST', `/v1/public/checkout/sessions/${sessionId}/transactions`, {
        body: { tx_hash: txHash },
      });
      expect(answer.status).toBe(202);
      await watchOn(here, 2);
      expect(await statusOf(here, changed)).toBe('paid');
    },
  );

  test('a rescan heals the rest, and what never came is dropped', async () => {
    for await (const _ of rescan(here.shop.ctx, 'ethereum', 1n));
    const ends = await Promise.all(CHANGED.map(async (changed) => [changed, await statusOf(here, changed)]));
    expect(ends).toEqual(CHANGED.map((changed) => [changed, 'paid']));
    expect(await transferOf(here, added)).toMatchObject([{ status: 'dropped' }]);
  });
});
