import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lookUpWalletsJob } from '../../../src/resources/payout-wallets/look-up-address.ts';
import { startAnvil } from '../../support/anvil.ts';
import { startApp } from '../../support/app.ts';
import { startRpcProxy } from '../../support/evm-rpc-proxy.ts';
import { startSettlement } from '../../support/settlement.ts';
import { type SolanaShop, startSolanaShop } from '../../support/solana/shop.ts';
import { type SolanaRpcProxy, startSolanaRpcProxy } from '../../support/solana/rpc-proxy.ts';
import { startSolana, type TestSolana } from '../../support/solana/index.ts';

type Data = any;

let cluster: TestSolana;
let proxy: SolanaRpcProxy;
let shop: SolanaShop;

beforeAll(async () => {
  cluster = await startSolana();
  cluster.slots(40);
  proxy = await startSolanaRpcProxy(cluster.url);
  shop = await startSolanaShop({ cluster, rpcUrls: [proxy.url] });
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
  await proxy.stop();
  await cluster[Symbol.asyncDispose]();
});

const save = (address: string) =>
  shop.app.inject('POST', '/v1/payout-wallets', {
    token: shop.merchant.token,
    body: { asset: 'USDC', network: 'solana', address },
  });
const read = (id: string): Promise<Data> => shop.merchant.get(`/payout-wallets/${id}`);

async function tokenAccount(program: 'token' | 'token-2022', owner: string): Promise<string> {
  const mint = await cluster.createMint({ program });
  await cluster.mint(mint, owner, 1_000_000n);
  return cluster.tokenAccount(mint, owner);
}

describe('a payout wallet on Solana', () => {
  test.each(['token', 'token-2022'] as const)(
    'is no account of the program %s: its owner is named',
    async (program) => {
      const owner = (await cluster.newWallet()).address;
      const { status, body } = await save(await tokenAccount(program, owner));
      expect([status, body.error]).toEqual([
        400,
        expect.objectContaining({
          code: 'invalid_payout_wallet',
          param: 'address',
          message: expect.stringContaining(`Its owner is ${owner}`),
        }),
      ]);
    },
  );

  test('is not a mint', async () => {
    for (const program of ['token', 'token-2022'] as const) {
      const { status, body } = await save(await cluster.createMint({ program }));
      expect([status, body.error.code]).toEqual([400, 'invalid_payout_wallet']);
    }
  });

  test('may be a vault, which a program derived', async () => {
    const vault = await cluster.tokenAccount(shop.usdc, (await cluster.newWallet()).address);
    // Nothing lives there yet, as at the address of most vaults.
    const { status, body } = await save(vault);
    expect([status, body.data.proof]).toEqual([201, 'required']);
  });

  test('and no token account takes a refund of a conversion', async () => {
    const session = await shop.session('USDC');
    const owner = (await cluster.newWallet()).address;
    const pay = (refundAddress: string) =>
      shop.app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
        body: { pay_asset: 'SOL', pay_network: 'solana', refund_address: refundAddress },
      });
    const refused = (await pay(await tokenAccount('token', owner))).body.error;
    expect(refused).toMatchObject({ code: 'invalid_route', param: 'refund_address' });
    expect(refused.message).toContain(`Its owner is ${owner}`);
    // No route provider is configured, so a wallet's address gets further.
    expect((await pay(owner)).body.error.param).not.toBe('refund_address');
  });

  test('that is saved while no provider answers is looked up when one does, and says so until then', async () => {
    const [wallet, owner] = [(await cluster.newWallet()).address, (await cluster.newWallet()).address];
    const account = await tokenAccount('token', owner);
    proxy.suffer('http_500');
    const [good, bad] = [(await save(wallet)).body.data, (await save(account)).body.data];
    expect(good).toMatchObject({ proof: 'required', looked_up: false, unfit: null });
    await lookUp();
    expect(await read(good.id)).toMatchObject({ proof: 'required', looked_up: false });
    const session = await shop.merchant.createSession({ payout_wallet_id: bad.id });
    const started = await shop.merchant.createSession({ payout_wallet_id: bad.id });
    proxy.suffer(null);
    const chosen = await shop.choose(started.id, { pay_asset: 'USDC' });
    expect(chosen.payment).toMatchObject({ address: account });

    await lookUp();
    expect(await read(good.id)).toMatchObject({ proof: 'not_required', looked_up: true, unfit: null });
    expect(await read(bad.id)).toMatchObject({ looked_up: true, unfit: expect.stringContaining(owner) });
    await expect(shop.merchant.createSession({ payout_wallet_id: bad.id })).rejects.toMatchObject({
      status: 400,
      param: 'payout_wallet_id',
      message: expect.stringContaining(owner),
    });
    await shop.merchant.createSession({ payout_wallet_id: good.id });
    const body = { pay_asset: 'USDC', pay_network: 'solana' };
    const paid = await shop.app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, { body });
    expect(paid).toMatchObject({ status: 400, body: { error: { code: 'invalid_payment_state' } } });
    expect((await shop.publicSession(session.id)).status).toBe('created');
    // Nor is it shown any more to a customer who has chosen before.
    expect(await shop.publicSession(started.id)).toMatchObject({ status: 'pending', payment: null });
    const built = await shop.app.inject('POST', `/v1/public/checkout/sessions/${started.id}/transaction`, {
      body: { sender: shop.customer.address },
    });
    expect(built).toMatchObject({ status: 400, body: { error: { code: 'invalid_payment_state' } } });
  });
});

test('a payout wallet on Ethereum that is saved while no provider answers is looked up when one does', async () => {
  await using chain = await startAnvil();
  await using node = await startRpcProxy(chain.url);
  await using own = await startSettlement({ chain, env: { RPC_ETHEREUM_URLS: node.url } });
  const contract = await chain.deploy('Balances');
  const look = async () => {
    await own.pass(61);
    await lookUpWalletsJob.run(own.ctx, new AbortController().signal, () => {});
  };
  const wallet = (address: string): Promise<Data> =>
    own.merchant.createWallet({ asset: 'USDC', network: 'ethereum', address });
  node.suffer('http_500');
  const saved = [await wallet(chain.accounts[4]?.address as string), await wallet(contract)];
  for (const one of saved) expect(one).toMatchObject({ proof: 'required', looked_up: false, unfit: null });
  await look();
  const now = () => Promise.all(saved.map(({ id }) => own.merchant.get(`/payout-wallets/${id}`)));
  expect(await now()).toMatchObject([{ looked_up: false }, { looked_up: false }]);

  node.suffer(null);
  await look();
  expect(await now()).toMatchObject([
    { proof: 'not_required', looked_up: true, unfit: null },
    // It may be an exchange's.
    { proof: 'required', looked_up: true, unfit: null },
  ]);
});

test('a payout wallet that is saved while its network has no provider is looked up once it has one', async () => {
  await using off = await startApp();
  const { live } = off.merchant;
  const owner = (await cluster.newWallet()).address;
  const wallet = (address: string): Promise<Data> => live.createWallet({ asset: 'USDC', network: 'solana', address });
  const saved = [await wallet(owner), await wallet(await tokenAccount('token', owner))];
  const now = () => Promise.all(saved.map(({ id }) => live.get(`/payout-wallets/${id}`)));
  expect(await now()).toMatchObject([
    // No customer can pay on the network.
    { proof: 'not_required', looked_up: false, unfit: null },
    { proof: 'required', looked_up: false, unfit: null },
  ]);
  const on = { ...off.ctx, chains: shop.ctx.chains };
  await lookUpWalletsJob.run(on, new AbortController().signal, () => {});
  expect(await now()).toMatchObject([
    { proof: 'not_required', looked_up: true, unfit: null },
    { looked_up: true, unfit: expect.stringContaining(owner) },
  ]);
});

async function lookUp(): Promise<void> {
  await shop.pass(61);
  await lookUpWalletsJob.run(shop.ctx, new AbortController().signal, () => {});
}
