import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type Abi,
  type Address,
  bytesToHex,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  isHex,
  toHex,
} from 'viem';
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';

/** A local Ethereum node with funded accounts: a real chain that tests mine, fork and move in time. */
export interface TestChain extends AsyncDisposable {
  url: string;
  chainId: number;
  /** Ten accounts with 10,000 ETH each; their keys are public. The first deploys, the second pays by default. */
  accounts: readonly PrivateKeyAccount[];
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>;
  head(): Promise<{ number: bigint; hash: Hex; time: Date }>;
  /** Mines this number of blocks at this interval. */
  mine(blocks?: number, options?: { intervalSeconds?: number }): Promise<void>;
  /** Deploys a contract of `contracts.sol`, at a given address if there is one. */
  deploy(name: string, args?: readonly unknown[], options?: { at?: Address }): Promise<Address>;
  /** A token of six decimals, or the `PeggedToken` of eighteen, with a million of it on each account except the first. */
  deployToken(options?: {
    symbol?: string;
    contract?: 'TestToken' | 'PeggedToken' | 'MemoToken' | 'FeeToken' | 'FalseToken' | 'DollarCoin';
    at?: Address;
  }): Promise<Address>;
  /**
   * Sends the transaction and mines it, unless `mine` is false or blocks are automatic; then `included` waits for it.
   */
  send(request: SendRequest): Promise<Hex>;
  transferErc20(
    request: Omit<SendRequest, 'data' | 'value' | 'to'> & {
      token: Address;
      to: Address;
      amount: bigint;
      tag?: Uint8Array;
    },
  ): Promise<Hex>;
  sendEth(request: Omit<SendRequest, 'value'> & { to: Address; amount: bigint }): Promise<Hex>;
  /** Several calls in one transaction through a `Batcher`, which must hold the money to send. */
  batch(
    batcher: Address,
    calls: readonly BatchCall[],
    options?: Omit<SendRequest, 'to' | 'data'> & { tag?: Uint8Array; tolerant?: boolean },
  ): Promise<Hex>;
  included(hash: Hex): Promise<{ blockNumber: bigint; blockHash: Hex; status: 'success' | 'reverted' }>;
  /** A mined transaction as its sender signed it, so that a reorg can move it. */
  signed(hash: Hex): Promise<Hex>;
  /**
   * Replaces the newest blocks by as many empty ones, with these transactions in them instead: the n-th block of the
   * new branch holds those with `block: n`, counted from 0.
   */
  reorg(depth: number, replacements?: readonly { block: number; transaction: SendRequest | Hex }[]): Promise<void>;
  call<T = unknown>(contract: string, address: Address, functionName: string, args?: readonly unknown[]): Promise<T>;
  stop(): Promise<void>;
}

export interface SendRequest {
  from?: Address;
  to?: Address;
  data?: Hex;
  value?: bigint;
  gas?: bigint;
  nonce?: number;
  mine?: boolean;
}

export interface BatchCall {
  target: Address;
  value?: bigint;
  data?: Hex;
}

export interface StartAnvil {
  chainId?: number;
  /** Mines blocks automatically at this pace; without it they are mined by hand. */
  blockTimeSeconds?: number;
  /** The time of the genesis block; defaults to now. */
  genesisTime?: Date;
  hardfork?: string;
}

/** Starts a node on a free port of this machine. */
export async function startAnvil(options: StartAnvil = {}): Promise<TestChain> {
  const chainId = options.chainId ?? 31_337;
  const { child, url } = await spawnAnvil([
    '--chain-id',
    String(chainId),
    '--slots-in-an-epoch',
    '1',
    // Keeps states in memory only: after a deep reorg anvil restores them from its disk without the contracts' code.
    '--prune-history',
    '4000',
    ...(options.blockTimeSeconds ? ['--block-time', String(options.blockTimeSeconds)] : ['--no-mining']),
    ...(options.genesisTime ? ['--timestamp', String(Math.floor(options.genesisTime.getTime() / 1000))] : []),
    ...(options.hardfork ? ['--hardfork', options.hardfork] : []),
  ]);
  const isManual = options.blockTimeSeconds === undefined;
  const [deployer, payer] = ACCOUNTS as [PrivateKeyAccount, PrivateKeyAccount];

  async function rpc<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const answer = (await response.json()) as { result?: T; error?: { message: string; data?: unknown } };
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result as T;
  }

  const chain: TestChain = {
    url,
    chainId,
    accounts: ACCOUNTS,
    rpc,
    async head() {
      const block = await rpc<{ number: Hex; hash: Hex; timestamp: Hex }>('eth_getBlockByNumber', ['latest', false]);
      return { number: BigInt(block.number), hash: block.hash, time: new Date(Number(block.timestamp) * 1000) };
    },
    async mine(blocks = 1, { intervalSeconds = 1 } = {}) {
      await rpc('anvil_mine', [toHex(blocks), toHex(intervalSeconds)]);
    },
    async deploy(name, args = [], { at } = {}) {
      const { abi, bytecode } = artifact(name);
      const hash = await chain.send({ from: deployer.address, data: encodeDeployData({ abi, bytecode, args }) });
      const receipt = await waitForReceipt(rpc, hash);
      const address = getAddress(receipt.contractAddress as Address);
      if (!at) return address;
      await rpc('anvil_setCode', [at, await rpc('eth_getCode', [address, 'latest'])]);
      return getAddress(at);
    },
    async deployToken({ symbol = 'USDC', contract = 'TestToken', at } = {}) {
      const isNamed = ['TestToken', 'PeggedToken', 'MemoToken'].includes(contract);
      const million = contract === 'PeggedToken' ? 10n ** 24n : 10n ** 12n;
      const token = await chain.deploy(contract, isNamed ? ['Test Dollar', symbol] : [], {
        ...(at && { at }),
      });
      let minted: Hex | undefined;
      for (const account of ACCOUNTS.slice(1)) {
        minted = await chain.send({
          from: deployer.address,
          to: token,
          mine: false,
          data: encodeFunctionData({
            abi: artifact(contract).abi,
            functionName: 'mint',
            args: [account.address, million],
          }),
        });
      }
      if (isManual) await chain.mine();
      // Transactions of one sender are mined in order, so the last one is enough.
      if (minted) await waitForReceipt(rpc, minted);
      return token;
    },
    async send({ mine = true, ...request }) {
      const from = request.from ?? payer.address;
      if (!ACCOUNTS.some((account) => account.address === from)) await rpc('anvil_impersonateAccount', [from]);
      const hash = await rpc<Hex>('eth_sendTransaction', [transactionOf({ ...request, from })]);
      if (isManual && mine) await chain.mine();
      return hash;
    },
    transferErc20({ token, to, amount, tag, ...request }) {
      return chain.send({ ...request, to: token, data: transferCalldata(to, amount, tag) });
    },
    sendEth({ amount, ...request }) {
      return chain.send({ ...request, value: amount });
    },
    batch(batcher, calls, { tag, tolerant, ...request } = {}) {
      const data = encodeFunctionData({
        abi: artifact('Batcher').abi,
        functionName: tolerant ? 'tryExecute' : 'execute',
        args: [calls.map((call) => ({ target: call.target, value: call.value ?? 0n, data: call.data ?? '0x' }))],
      });
      return chain.send({ ...request, to: batcher, data: tag ? `${data}${bytesToHex(tag).slice(2)}` : data });
    },
    async included(hash) {
      const receipt = await waitForReceipt(rpc, hash);
      return {
        blockNumber: BigInt(receipt.blockNumber),
        blockHash: receipt.blockHash,
        status: receipt.status === '0x1' ? 'success' : 'reverted',
      };
    },
    signed: (hash) => rpc('eth_getRawTransactionByHash', [hash]),
    async reorg(depth, replacements = []) {
      await rpc('anvil_reorg', [
        depth,
        replacements.map(({ block, transaction }) => [
          typeof transaction === 'string'
            ? transaction
            : transactionOf({ gas: 1_000_000n, ...transaction, from: transaction.from ?? payer.address }),
          block,
        ]),
      ]);
    },
    async call<T>(contract: string, address: Address, functionName: string, args: readonly unknown[] = []) {
      const data = await rpc<Hex>('eth_call', [
        { to: address, data: encodeFunctionData({ abi: artifact(contract).abi, functionName, args }) },
        'latest',
      ]);
      return BigInt(data) as T;
    },
    stop: () => stop(child),
    [Symbol.asyncDispose]: () => stop(child),
  };
  return chain;
}

/** `transfer(to, amount)` with a tag after it, as the checkout page's connected wallet sends it. */
export function transferCalldata(to: Address, amount: bigint, tag?: Uint8Array): Hex {
  const data = encodeFunctionData({ abi: artifact('TestToken').abi, functionName: 'transfer', args: [to, amount] });
  return tag ? `${data}${bytesToHex(tag).slice(2)}` : data;
}

/** The calldata of any function of a contract in `contracts.sol`. */
export function calldata(contract: string, functionName: string, args: readonly unknown[] = []): Hex {
  return encodeFunctionData({ abi: artifact(contract).abi, functionName, args });
}

export interface Artifact {
  abi: Abi;
  bytecode: Hex;
  deployedBytecode: Hex;
}

const artifacts = JSON.parse(readFileSync(new URL('./contracts/contracts.json', import.meta.url), 'utf8')) as Record<
  string,
  Artifact
>;

export function artifact(name: string): Artifact {
  const found = artifacts[name];
  if (!found) throw new Error(`contracts.sol has no ${name}; it has ${Object.keys(artifacts).join(', ')}`);
  return found;
}

// The default mnemonic of every local Ethereum node.
const ACCOUNTS: readonly PrivateKeyAccount[] = Array.from({ length: 10 }, (_, addressIndex) => {
  const { privateKey } = mnemonicToAccount('test test test test test test test test test test test junk', {
    addressIndex,
  }).getHdKey();
  return privateKeyToAccount(bytesToHex(privateKey as Uint8Array));
});

function transactionOf(request: SendRequest): Record<string, unknown> {
  const { mine: _mine, ...fields } = request;
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' && isHex(value) ? value : toHex(value as bigint)]),
  );
}

async function waitForReceipt(rpc: TestChain['rpc'], hash: Hex) {
  for (let attempt = 0; attempt < 600; attempt++) {
    const receipt = await rpc<{
      blockNumber: Hex;
      blockHash: Hex;
      status: Hex;
      contractAddress: Address | null;
    } | null>('eth_getTransactionReceipt', [hash]);
    if (receipt) return receipt;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${hash} was not mined within 30 seconds`);
}

/** The program inside this platform's package: the package's own launcher would leave it running when killed. */
export function anvilBinary(): string {
  const require = createRequire(import.meta.url);
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const os = process.platform;
  const name = `@foundry-rs/anvil-${os}-${arch}`;
  const folder = [require, createRequire(require.resolve('@foundry-rs/anvil/package.json'))]
    .map((from) => {
      try {
        return dirname(from.resolve(`${name}/package.json`));
      } catch {
        return undefined;
      }
    })
    .find((path) => path !== undefined);
  const binary = folder && join(folder, 'bin', os === 'win32' ? 'anvil.exe' : 'anvil');
  if (!binary || !existsSync(binary)) throw new Error(`${name} is not installed; run npm install on this platform`);
  return binary;
}

async function spawnAnvil(args: readonly string[]): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(anvilBinary(), ['--host', '127.0.0.1', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (running.size === 0) process.once('exit', killAll);
  running.add(child);
  child.once('exit', () => {
    running.delete(child);
    if (running.size === 0) process.off('exit', killAll);
  });

  const said: string[] = [];
  child.stderr.on('data', (data: Buffer) => said.push(data.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    const listening = /Listening on (\S+)/.exec(line);
    if (listening) {
      // Discards further output, so that its pipe never fills.
      child.stdout.resume();
      return { child, url: `http://${listening[1]}` };
    }
    said.push(line);
  }
  throw new Error(`anvil did not start: ${said.join('\n')}`);
}

// Kills the nodes when a test process ends early.
const running = new Set<ChildProcess>();
function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
