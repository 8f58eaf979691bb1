import { type Asset, PAY_ASSETS, RECEIVE_NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Config } from '../config.ts';
import type { BlockRef, Chain, Head, InternalSources, Reading } from '../outside/chains/chain.ts';
import { caip2 } from '../outside/chains/caip.ts';
import { createChains } from '../outside/chains/registry.ts';
import { createLogger } from '../platform/log.ts';
import { DAY_MS, later, MINUTE_MS, SECOND_MS } from '../platform/time.ts';
import type { Finding } from './finding.ts';

/** The newest block of a live network is younger than this. */
const MAX_HEAD_AGE_MS = 5 * MINUTE_MS;
/** A wallet is watched this long after its sessions; a longer outage than the shortest is read from history too. */
const HISTORY_DAYS = [31, 7, 1];
/** About what reading one block of a busy network asks for. */
const BURST_CALLS = 20;
/** Where old blocks cannot be read, this many of the newest ones show whether any can. */
const BLOCKS_TO_READ = 4n;
/** An address without transfers, in the form of each family. */
const UNUSED_ADDRESS = {
  evm: `0x${'00'.repeat(19)}d0`,
  solana: '11111111111111111111111111111112',
  tron: 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
};

const WITHOUT_LOGS = {
  state: 'failed',
  details:
    'its filter of logs does not find a transfer that its own newest blocks have: no payment in a token is seen. ' +
    'Use another one, or let a node of Tron read its blocks again with httpFullNodeEnable',
} as const;

/** Each RPC provider alone, by the service's own adapter: chain, newest block, history, tokens, balances, traces, rate. */
export async function checkNetwork(config: Config, network: ReceiveNetwork): Promise<Finding[]> {
  const { rpcUrls } = config.networks[network];
  if (rpcUrls.length === 0)
    return [{ state: 'ok', subject: network, details: 'switched off: no transfer to its wallets is seen' }];
  const providers = await Promise.all(rpcUrls.map((url) => checkProvider(config, network, url)));
  const working = providers.filter(({ findings }) => findings.every(({ state }) => state !== 'failed'));
  return [
    ...providers.flatMap(({ findings }) => findings),
    ...checkQuorum(network, { configured: rpcUrls.length, working: working.length }),
    ...checkInternal(
      network,
      working.map(({ showsInternal }) => showsInternal),
    ),
  ];
}

/** Whether a provider shows the native coin that contracts send; undefined where logs or nothing need to show it. */
type ShowsInternal = boolean | undefined;

function checkInternal(subject: ReceiveNetwork, shown: readonly ShowsInternal[]): Finding[] {
  if (!shown.includes(false) || shown.includes(true)) return [];
  const details =
    'no provider serves balances or traces: ether that contracts send is not seen, and payments in ether do not expire';
  return [{ state: 'failed', subject, details }];
}

/** Whether the providers that work decide as "How providers decide" of docs/operating.md says. */
export function checkQuorum(
  subject: ReceiveNetwork,
  { configured, working }: { configured: number; working: number },
): Finding[] {
  const warn = (details: string): Finding[] => [{ state: 'warning', subject, details }];
  if (working === 0) return [{ state: 'failed', subject, details: 'no provider works: payments on it are not seen' }];
  if (configured === 1)
    return warn('one provider: it settles alone and without a limit. Configure three of different operators');
  if (configured === 2 && working === 1)
    return warn(
      'one of two providers works: payments wait, unless the other one fails every call for ten minutes: ' +
        'then those below 1,000 USD settle, up to SINGLE_PROVIDER_USD_PER_HOUR',
    );
  if (working * 2 <= configured)
    return warn(
      `${working} of ${configured} providers ${working === 1 ? 'works' : 'work'}: nothing settles until a majority does`,
    );
  return [];
}

async function checkProvider(
  config: Config,
  network: ReceiveNetwork,
  url: string,
): Promise<{ findings: Finding[]; showsInternal?: ShowsInternal }> {
  const subject = `${network} ${new URL(url).host}`;
  const settings = settingsOf(config, network);
  const found: Finding[] = [];
  const add = (...findings: Omit<Finding, 'subject'>[]) => found.push(...findings.map((one) => ({ subject, ...one })));
  /** What another provider in the settings would mend. */
  const addAbout = (one: Omit<Finding, 'subject'>) => add(one.state === 'ok' ? one : { ...one, settings });
  const ask = <T>(work: (chain: Chain) => Promise<T>) => withProvider(config, network, url, work);
  try {
    const began = performance.now();
    const head = await ask((chain) => chain.head('first'));
    const tookMs = Math.round(performance.now() - began);
    const ageMs = Date.now() - head.time.getTime();
    if (ageMs > MAX_HEAD_AGE_MS) {
      addAbout({
        state: 'failed',
        details: `its newest block ${head.number} is ${Math.round(ageMs / MINUTE_MS)} minutes old`,
      });
      return { findings: found };
    }
    const sources = await ask(async (chain) => chain.internalSources?.());
    add({ state: 'ok', details: `block ${head.number}, ${tookMs} ms` });
    addAbout(await checkHistory(ask, head));
    if (sources) add(...checkSources(sources));
    add(...(await checkTokens(ask, config, network)));
    if ((await ask(async (chain) => chain.findsLogs?.())) === false) addAbout(WITHOUT_LOGS);
    addAbout(await ask((chain) => checkRate(chain, head)));
    return { findings: found, showsInternal: sources && (sources.balances === null || sources.traces) };
  } catch (error) {
    addAbout({ state: 'failed', details: (error as Error).message });
    return { findings: found };
  }
}

/** Where a provider is named and, of a test chain, the network that it has to be on. */
function settingsOf({ networks }: Config, network: ReceiveNetwork): string {
  const name = network.toUpperCase();
  return `RPC_${name}_URLS${networks[network].chainId === null ? '' : ` and CHAIN_ID_${name}`}`;
}

/**
 * The tokens that are read: with other decimals, every amount would be wrong. A test chain has those that the settings
 * name. No provider gets here on another chain, and only a public network's identity is worth a line.
 */
async function checkTokens(ask: Ask, config: Config, network: ReceiveNetwork): Promise<Omit<Finding, 'subject'>[]> {
  const settings = config.networks[network];
  const isPublic = settings.chainId === null && settings.genesisHash === null;
  const read = PAY_ASSETS.filter((one) => one.network === network && one.address !== null);
  const checked = read.filter(({ asset }) => isPublic || settings.tokens[asset] !== undefined);
  const findings = await Promise.all(checked.map((asset) => ask((chain) => checkToken(chain, asset))));
  return [...(isPublic ? [{ state: 'ok' as const, details: `is on ${caip2(network, settings)}` }] : []), ...findings];
}

async function checkToken(chain: Chain, { asset, decimals, ownSymbol }: Asset): Promise<Omit<Finding, 'subject'>> {
  const facts = await chain.describeToken?.(asset);
  if (!facts || facts.decimals === null)
    return { state: 'failed', details: `${asset}: there is no token at ${facts?.address}, so it is not seen` };
  if (facts.decimals !== decimals)
    return {
      state: 'failed',
      details: `${asset}: ${facts.address} has ${facts.decimals} decimals, not ${decimals}: every amount would be wrong`,
    };
  if (facts.symbol !== null && facts.symbol !== ownSymbol && facts.symbol !== asset)
    return { state: 'warning', details: `${asset}: ${facts.address} calls itself ${facts.symbol}, not ${ownSymbol}` };
  return {
    state: 'ok',
    details: `${asset} has ${decimals} decimals (${facts.symbol ?? 'a mint'} at ${facts.address})`,
  };
}

/** Balances show that contracts sent ether, traces show in which transactions. */
function checkSources({ balances, traces }: InternalSources) {
  return [
    balances === null
      ? ({ state: 'ok', details: 'serves the balances of the newest blocks' } as const)
      : ({
          state: 'warning',
          details: `serves no balances of the newest blocks, so another provider must show ether that contracts send (${balances})`,
        } as const),
    traces
      ? ({ state: 'ok', details: 'traces blocks' } as const)
      : ({
          state: 'warning',
          details:
            'traces no blocks: ether that contracts send is seen by balances, and pays when another provider traces it',
        } as const),
  ];
}

type Ask = <T>(work: (chain: Chain) => Promise<T>) => Promise<T>;

/** How far back it serves transfers. Pruned nodes have old blocks and refuse their logs or balances. */
async function checkHistory(ask: Ask, head: Head): Promise<Omit<Finding, 'subject'>> {
  let refusal = '';
  for (const days of HISTORY_DAYS) {
    try {
      // With a new adapter each time: after a refusal it would pause the provider.
      const isWhole = await ask((chain) => readOnceSince(chain, later(head.time, -days * DAY_MS), head));
      const but = isWhole ? '' : ', but not ether that contracts sent then';
      if (days === HISTORY_DAYS[0]) return { state: 'ok', details: `serves transfers of ${days} days ago${but}` };
      return {
        state: 'warning',
        details:
          `serves transfers of ${days === 1 ? 'one day' : `${days} days`} ago and not of ` +
          `${HISTORY_DAYS[0]}: after a longer outage, payments are found by another provider (${refusal})`,
      };
    } catch (error) {
      refusal ||= (error as Error).message;
    }
  }
  const unread = await ask((chain) => readNewest(chain, head)).catch((error: Error) => error.message);
  if (unread) return { state: 'failed', details: `its newest blocks cannot be read: no payment is seen (${unread})` };
  return {
    state: 'warning',
    details: `serves no transfers of a day ago: after an outage, payments are found by another provider (${refusal})`,
  };
}

/** Whether all kinds of transfers can be looked for. */
async function readOnceSince(chain: Chain, time: Date, head: Head): Promise<boolean> {
  const after = await chain.blockAt(time);
  // A young test chain begins later than the instant.
  if (after.number > 1n && after.time > later(time, DAY_MS / 2))
    throw new Error(`its oldest block is ${after.number} of ${after.time.toISOString()}`);
  return !(await readOnce(chain, after, head)).unseen;
}

async function readNewest(chain: Chain, head: Head): Promise<void> {
  const after = await chain.block(head.number > BLOCKS_TO_READ ? head.number - BLOCKS_TO_READ : 0n);
  if (after) await readOnce(chain, after, head);
}

function readOnce(chain: Chain, after: BlockRef, head: Head): Promise<Reading> {
  const { network } = chain;
  const unused = network === 'solana' || network === 'tron' ? UNUSED_ADDRESS[network] : UNUSED_ADDRESS.evm;
  return chain.read({ after, until: head, watching: { addresses: new Set([unused]) }, pass: 'first' });
}

/** A burst of a bounded size, of calls that the reader makes all the time. */
async function checkRate(chain: Chain, head: Head): Promise<Omit<Finding, 'subject'>> {
  const began = performance.now();
  const numbers = Array.from({ length: BURST_CALLS }, (_, at) => head.number - BigInt(at)).map((number) =>
    number > 0n ? number : 0n,
  );
  const answers = await Promise.allSettled(numbers.map((number) => chain.block(number)));
  const seconds = (performance.now() - began) / SECOND_MS;
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []));
  const [first] = refused;
  if (!first) {
    const perSecond = Math.round(BURST_CALLS / seconds);
    return { state: 'ok', details: `answered a burst of ${BURST_CALLS} calls, about ${perSecond} a second` };
  }
  return {
    state: 'warning',
    details: `refused ${refused.length} of a burst of ${BURST_CALLS} calls (${first.message}): raise its plan, or replace it`,
  };
}

/** The network with this provider only. */
async function withProvider<T>(
  config: Config,
  network: ReceiveNetwork,
  url: string,
  work: (chain: Chain) => Promise<T>,
): Promise<T> {
  const networks = Object.fromEntries(
    RECEIVE_NETWORKS.map((name) => [name, { ...config.networks[name], rpcUrls: name === network ? [url] : [] }]),
  ) as unknown as Config['networks'];
  const chain = createChains({ networks }, createLogger('silent')).get(network);
  if (!chain) throw new Error(`${network} is not supported`);
  try {
    return await work(chain);
  } finally {
    await chain.close();
  }
}
