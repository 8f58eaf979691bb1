import { type PrivateKeyAccount, generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { claimText } from '../../../../src/settlement/attribution/claim.ts';
import type { TestAnswer } from '../../../support/inject.ts';
import { ethereumWallet } from '../../../support/logins.ts';
import type { AbuseWorld } from './world.ts';

/** A person who wants to keep others from paying. */
export interface Stranger {
  from: string;
  key: PrivateKeyAccount;
  /** Checkouts that they opened, the newest last, and those that they chose to pay. */
  opened: string[];
  chosen: string[];
}

/** The number of responses by request and status. */
export type AnswerCounts = Record<string, Record<string, number>>;

type Act = (world: AbuseWorld, stranger: Stranger) => Promise<TestAnswer | undefined>;

interface Kind {
  /** Requests of one client per minute, and in a minute of a burst: as many as the service answers, and a few more. */
  perMinute: number;
  inBurst: number;
  act: Act;
}

const MAX_CHECKOUTS_KEPT = 100;
/** A checkout accepts ten hints and eight claims; then the stranger uses other checkouts. */
const RECENT = 20;
const USDC = { pay_asset: 'USDC', pay_network: 'base' };
const CONTRACT_SIGNATURE = `0x${'5c'.repeat(200)}`;

const KINDS: Record<string, Kind> = {
  'open a link': { perMinute: 4, inBurst: 65, act: openLink },
  'open the page of a link': {
    perMinute: 0.5,
    inBurst: 5,
    act: (world, { from }) => world.call('GET', `/pay/${world.attacked.link}`, from),
  },
  'choose to pay': { perMinute: 4, inBurst: 65, act: choose },
  'choose a conversion': { perMinute: 1, inBurst: 15, act: chooseConversion },
  hint: { perMinute: 2, inBurst: 20, act: hint },
  claim: { perMinute: 2, inBurst: 12, act: claim },
  'request a login code': { perMinute: 1, inBurst: 10, act: requestCode },
  'try a login code': {
    perMinute: 3,
    inBurst: 22,
    act: (world, { from }) => {
      const body = { email: world.attacked.merchant.email, code: 'AAAAAA' };
      return world.call('POST', '/v1/auth/email/verify', from, { body });
    },
  },
  'request a nonce': { perMinute: 1, inBurst: 10, act: requestNonce },
  'log in with a foreign wallet': { perMinute: 1, inBurst: 10, act: logInAsOwner },
  'ask for a quote': {
    perMinute: 1,
    inBurst: 22,
    act: (world, { from }) => {
      const token = `${world.attacked.merchant.liveKey.slice(0, -4)}0000`;
      const query = { payout_wallet_id: 'pp_1', amount: '49.00', pay_asset: 'USDC', pay_network: 'ethereum' };
      return world.call('GET', '/v1/routes/quote', from, { query, token });
    },
  },
};

export function newStranger(from: string): Stranger {
  return { from, key: privateKeyToAccount(generatePrivateKey()), opened: [], chosen: [] };
}

/** The acts of one stranger in a part of a minute. */
export async function abuse(
  world: AbuseWorld,
  stranger: Stranger,
  { isBurst, shareOfMinute }: { isBurst: boolean; shareOfMinute: number },
  counts: AnswerCounts,
): Promise<void> {
  for (const [name, { perMinute, inBurst, act }] of Object.entries(KINDS)) {
    const wanted = (isBurst ? inBurst : perMinute) * shareOfMinute;
    const times = Math.floor(wanted) + (world.random.chance(wanted % 1) ? 1 : 0);
    for (let time = 0; time < times; time += 1) {
      const status = (await act(world, stranger))?.status;
      if (status === undefined) break;
      const ofKind = (counts[name] ??= {});
      ofKind[status] = (ofKind[status] ?? 0) + 1;
    }
  }
}

async function openLink(world: AbuseWorld, stranger: Stranger) {
  const { link, testLink } = world.attacked;
  const id = world.random.chance(0.8) ? link : testLink;
  const answer = await world.call('POST', `/v1/public/payment-links/${id}/open`, stranger.from);
  if (answer.status === 200 || answer.status === 201) {
    stranger.opened.push(answer.body.data.id);
    if (stranger.opened.length > MAX_CHECKOUTS_KEPT) stranger.opened.shift();
  }
  return answer;
}

/** Reserves an exact amount; now and then as if a wallet were connected, which keeps the amount reserved for longer. */
async function choose(world: AbuseWorld, stranger: Stranger) {
  const id = stranger.opened.pop();
  if (id === undefined) return undefined;
  const body = world.random.chance(0.2) ? { ...USDC, sender: stranger.key.address } : USDC;
  const answer = await world.call('POST', `/v1/public/checkout/sessions/${id}/pay`, stranger.from, { body });
  if (answer.status === 200) {
    stranger.chosen.push(id);
    if (stranger.chosen.length > MAX_CHECKOUTS_KEPT) stranger.chosen.shift();
  }
  return answer;
}

async function chooseConversion(world: AbuseWorld, stranger: Stranger) {
  const { random } = world;
  const known = random.chance(0.5) ? stranger.opened.pop() : stranger.chosen.at(-1);
  if (known === undefined) return undefined;
  const pay_network = random.pick(['ethereum', 'polygon', 'arbitrum']);
  const body = { pay_asset: 'USDC', pay_network, refund_address: stranger.key.address };
  return world.call('POST', `/v1/public/checkout/sessions/${known}/pay`, stranger.from, { body });
}

async function hint(world: AbuseWorld, { from, chosen }: Stranger) {
  const { random, seen } = world;
  if (chosen.length === 0) return undefined;
  const hash = seen.length > 0 && random.chance(0.3) ? random.pick(seen).hash : random.hex(32);
  const path = `/v1/public/checkout/sessions/${random.pick(chosen.slice(-RECENT))}/transactions`;
  return world.call('POST', path, from, { body: { tx_hash: hash } });
}

/**
 * Claims an honest customer's transaction: in its sender's name as a contract wallet would, or signed with their own
 * key.
 */
async function claim(world: AbuseWorld, { from, key, chosen }: Stranger) {
  const { random, seen } = world;
  if (chosen.length === 0) return undefined;
  const id = random.pick(chosen.slice(-RECENT));
  const { hash, sender } =
    seen.length > 0 ? random.pick(seen.slice(-RECENT)) : { hash: random.hex(32), sender: key.address };
  const message = claimText({ sessionId: id, network: 'base', txHash: hash });
  const signed = random.chance(0.5)
    ? { sender, signature: CONTRACT_SIGNATURE }
    : { signature: await key.signMessage({ message }) };
  const path = `/v1/public/checkout/sessions/${id}/transactions`;
  return world.call('POST', path, from, { body: { tx_hash: hash, ...signed } });
}

/** For the merchant's address, or for an unknown one. */
async function requestCode(world: AbuseWorld, { from }: Stranger) {
  const { random } = world;
  const email = random.chance(0.5) ? world.attacked.merchant.email : `${random.hex(6)}@example.com`;
  return world.call('POST', '/v1/auth/email/start', from, { body: { email } });
}

async function requestNonce(world: AbuseWorld, { from }: Stranger) {
  const { network, address } = world.random.chance(0.7) ? world.owner : ethereumWallet();
  return world.call('POST', '/v1/auth/nonce', from, { body: { network, address } });
}

async function logInAsOwner(world: AbuseWorld, { from, key }: Stranger) {
  const { network, address } = world.owner;
  const signature = world.random.chance(0.5) ? await key.signMessage({ message: address }) : CONTRACT_SIGNATURE;
  return world.call('POST', '/v1/auth/verify', from, { body: { network, address, signature } });
}
