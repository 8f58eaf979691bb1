import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex, serializeErc6492Signature } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAnvil, type TestChain } from '../../support/anvil.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { type Listening, serve } from '../../support/listen.ts';
import contracts from '../../support/contracts/contracts.json' with { type: 'json' };

const owner = privateKeyToAccount(generatePrivateKey());
let chain: TestChain;
let app: TestApp;
let wallet: Hex;
beforeAll(async () => {
  chain = await startAnvil();
  // One node under two names stands in for two providers that agree.
  app = await startApp({ env: { RPC_ETHEREUM_URLS: `${chain.url},${chain.url.replace('127.0.0.1', 'localhost')}` } });
  wallet = await chain.deploy('SmartWallet', [owner.address]);
});
afterAll(async () => {
  await app.stop();
  await chain.stop();
});

const nonceOf = async (on: TestApp, address: string): Promise<string> =>
  (await on.inject('POST', '/v1/auth/nonce', { body: { address } })).body.data.nonce;
const verify = (on: TestApp, address: string, signature: string) =>
  on.inject('POST', '/v1/auth/verify', { body: { address, signature } });

describe('a wallet that is a contract logs in where two providers agree', () => {
  test("200: the contract accepts its owner's signature (ERC-1271)", async () => {
    const answer = await verify(app, wallet, await owner.signMessage({ message: await nonceOf(app, wallet) }));
    expect(answer.status).toBe(200);
    const saved = await app.inject('GET', `/v1/payout-wallets/${answer.body.data.payout_wallet_id}`, {
      token: answer.body.data.session_token,
    });
    expect(saved.body.data).toMatchObject({ address: wallet, network: 'ethereum', asset: 'USDC' });
  });

  test('200: before it is deployed, by the signature that says how it will be (ERC-6492)', async () => {
    const factory = await chain.deploy('WalletFactory');
    const { abi } = contracts.WalletFactory;
    const salt = `0x${'07'.repeat(32)}` as const;
    const future = getContractAddress({
      opcode: 'CREATE2',
      from: factory,
      salt,
      bytecode: encodeDeployData({
        abi: contracts.SmartWallet.abi,
        bytecode: contracts.SmartWallet.bytecode as Hex,
        args: [owner.address],
      }),
    });
    const signature = serializeErc6492Signature({
      address: factory,
      data: encodeFunctionData({ abi, functionName: 'create', args: [owner.address, salt] }),
      signature: await owner.signMessage({ message: await nonceOf(app, future) }),
    });

    expect(await chain.rpc('eth_getCode', [future, 'latest'])).toBe('0x');
    expect((await verify(app, future, signature)).status).toBe(200);
    expect((await verify(app, future, signature)).status).toBe(400);
  });

  test("400 invalid_signature: another account's signature, and it uses nothing up", async () => {
    const stranger = privateKeyToAccount(generatePrivateKey());
    const text = await nonceOf(app, wallet);
    expect(await verify(app, wallet, await stranger.signMessage({ message: text }))).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_signature' } },
    });
    expect((await verify(app, wallet, await owner.signMessage({ message: text }))).status).toBe(200);
  });

  test('400 invalid_signature: an address without code, whatever is sent', async () => {
    const empty = privateKeyToAccount(generatePrivateKey()).address;
    const text = await nonceOf(app, empty);
    expect((await verify(app, empty, await owner.signMessage({ message: text }))).status).toBe(400);
    expect((await verify(app, empty, `0x${'12'.repeat(200)}`)).status).toBe(400);
  });
});

describe('400 invalid_signature: a wallet that is a contract, where two providers do not agree', () => {
  test.each<[string, () => Promise<string[]>]>([
    ['one alone', async () => [chain.url]],
    ['one and another that is down', async () => [chain.url, 'http://127.0.0.1:9']],
    ['one and another that says no to everything', async () => [chain.url, await liar('0x')]],
    ['one that says yes to everything, and an honest one', async () => [await liar(`0x${'0'.repeat(63)}1`), chain.url]],
  ])('%s', async (name, urls) => {
    await using own = await startApp({ env: { RPC_ETHEREUM_URLS: (await urls()).join(',') } });
    const text = await nonceOf(own, wallet);
    const signer = name.startsWith('one that says yes') ? privateKeyToAccount(generatePrivateKey()) : owner;
    expect((await verify(own, wallet, await signer.signMessage({ message: text }))).status).toBe(400);
  });
});

const liars: Listening[] = [];
afterAll(() => Promise.all(liars.map((server) => server.stop())));

/** A provider that returns one result for every call. */
async function liar(result: string): Promise<string> {
  const server = await serve((request, response) => {
    let text = '';
    request
      .on('data', (chunk) => (text += chunk))
      .on('end', () => {
        const { id } = JSON.parse(text);
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
  });
  liars.push(server);
  return server.url;
}
