import { randomBytes } from 'node:crypto';
import { type Address, encodeFunctionData, getAddress, type Hex, toHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { artifact, startAnvil, type TestChain, transferCalldata } from './anvil.ts';
import { type Inject, startApp, type TestApp } from './app.ts';
import { authorizationCall } from './authorizations.ts';
import type { TestDatabase } from './database.ts';
import { startFacilitator, type SettlePayment, type TestFacilitator } from './facilitator.ts';
import { type Challenge, machineClient, requestOf } from './machine-client.ts';
import type { Merchant } from './merchant.ts';
import { walkOf } from './payments.ts';

type Data = any;

/** A live shop on a local chain with automatic blocks, watched by the real loops, with a facilitator. */
export interface MachineShop extends AsyncDisposable {
  app: TestApp;
  chain: TestChain;
  usdc: Address;
  wallet: Address;
  merchant: Merchant;
  facilitator: TestFacilitator;
  inject: Inject;
  client: ReturnType<typeof machineClient>;
  /** Accounts that hold dollars; the last ones hold the facilitator's and the deployer's keys. */
  payers: readonly PrivateKeyAccount[];
  session(fields?: Record<string, unknown>): Promise<Data>;
  walk(sessionId: string): Promise<string[]>;
  /** How many transfers pay for a session, and by which rule. */
  rulesOf(sessionId: string): Promise<string[]>;
  balance(address: string): Promise<bigint>;
  credentials(sessionId: string): Promise<{ kind: string; state: string; hasCredential: boolean }[]>;
}

export type Settle = (shop: { chain: TestChain; usdc: Address; sender: PrivateKeyAccount }) => SettlePayment;

/** `settle` sends for the facilitator; by default a plain call of the token. */
export async function startMachineShop(
  options: {
    settle?: Settle;
    kinds?: readonly unknown[];
    env?: Record<string, string>;
    token?: string;
    database?: TestDatabase;
    chainId?: number;
  } = {},
): Promise<MachineShop> {
  const stack = new AsyncDisposableStack();
  const chain = stack.use(
    await startAnvil({ blockTimeSeconds: 1, ...(options.chainId && { chainId: options.chainId }) }),
  );
  const usdc = await chain.deployToken({ contract: 'DollarCoin' });
  const sender = chain.accounts.at(-1) as PrivateKeyAccount;
  const network = `eip155:${chain.chainId}`;
  const settle = (options.settle ?? plainSettle)({ chain, usdc, sender });
  const kinds = options.kinds ?? [{ x402Version: 2, scheme: 'exact', network }];
  const facilitator = stack.use(await startFacilitator(kinds, settle));
  const app = stack.use(
    await startApp({
      work: true,
      ...(options.database && { database: options.database }),
      env: {
        RPC_ETHEREUM_URLS: chain.url,
        CHAIN_ID_ETHEREUM: String(chain.chainId),
        TOKEN_USDC_ETHEREUM: usdc,
        CONFIRMATIONS_ETHEREUM: '2',
        X402_FACILITATOR_ETHEREUM_URL: facilitator.url,
        ...(options.token && { X402_FACILITATOR_ETHEREUM_TOKEN: options.token }),
        ...options.env,
      },
    }),
  );
  const merchant = app.merchant.live;
  const wallet = getAddress(toHex(randomBytes(20)));
  await merchant.createWallet({ asset: 'USDC', network: 'ethereum', address: wallet });
  const query = <Row extends object>(name: string, sql: string, sessionId: string) =>
    app.ctx.db.query<Row>(name, sql, [sessionId]);

  return {
    app,
    chain,
    usdc,
    wallet,
    merchant,
    facilitator,
    inject: app.inject,
    client: machineClient(app.inject),
    payers: chain.accounts.slice(1, -1),
    session: (fields = {}) => merchant.createSession(fields),
    walk: (sessionId) => walkOf(app.ctx.db, sessionId),
    async rulesOf(sessionId) {
      const rows = await query<{ attributedBy: string }>(
        'test_rules_of',
        `select t.attributed_by from transfers t join payments p on p.id = t.payment_id where p.session_id = $1`,
        sessionId,
      );
      return rows.map((row) => row.attributedBy);
    },
    balance: (address) => chain.call<bigint>('DollarCoin', usdc, 'balanceOf', [address]),
    credentials: (sessionId) =>
      query(
        'test_credentials',
        `select c.kind, c.state, c.credential is not null as has_credential
           from machine_credentials c join payments p on p.id = c.payment_id where p.session_id = $1 order by c.created_at`,
        sessionId,
      ),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Sends the authorization in the facilitator's own transaction, without waiting for it. */
const plainSettle: Settle =
  ({ chain, usdc, sender }) =>
  async ({ payload }, requirements) => {
    const { authorization: one, signature } = payload;
    const data = authorizationCall({
      ...one,
      value: BigInt(one.value),
      validAfter: BigInt(one.validAfter),
      validBefore: BigInt(one.validBefore),
      signature,
    });
    const transaction = await chain.send({ from: sender.address, to: usdc, data, mine: false, gas: 200_000n });
    return { success: true, transaction, network: requirements.network, payer: one.from };
  };

export interface TransactionChanges {
  to?: Address;
  token?: Address;
  short?: bigint;
  chainId?: number;
  ahead?: number;
  tail?: string;
  call?: 'approve';
  gas?: bigint;
  maxFeePerGas?: bigint;
}

/** A `transaction` payload of the "Payment" scheme: the payer's next transaction, with a test's changes. */
export async function signTransaction(
  chain: TestChain,
  challenge: Challenge,
  payer: PrivateKeyAccount,
  changes: TransactionChanges = {},
): Promise<unknown> {
  const { recipient, amount, currency, methodDetails } = requestOf(challenge);
  const units = BigInt(amount) - (changes.short ?? 0n);
  const to = changes.to ?? recipient;
  const data = changes.call
    ? encodeFunctionData({ abi: artifact('DollarCoin').abi, functionName: 'approve', args: [to, units] })
    : transferCalldata(to, units);
  const nonce = Number(await chain.rpc<Hex>('eth_getTransactionCount', [payer.address, 'latest']));
  const signature = await payer.signTransaction({
    type: 'eip1559',
    chainId: changes.chainId ?? methodDetails.chainId,
    nonce: nonce + (changes.ahead ?? 0),
    to: changes.token ?? currency,
    data: `${data}${changes.tail ?? ''}`,
    gas: changes.gas ?? 100_000n,
    maxFeePerGas: changes.maxFeePerGas ?? 10_000_000_000n,
    maxPriorityFeePerGas: changes.maxFeePerGas ?? 1_000_000_000n,
  });
  return { type: 'transaction', signature };
}
