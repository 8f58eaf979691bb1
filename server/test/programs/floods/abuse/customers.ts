import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Mail } from '../../../../src/platform/mails/queue-mail.ts';
import { MINUTE_MS, SECOND_MS } from '../../../../src/platform/time.ts';
import { claimText, senderText } from '../../../../src/settlement/attribution/claim.ts';
import type { TestAnswer } from '../../../support/inject.ts';
import type { AbuseWorld, Shop } from './world.ts';

type Data = any;

/** An honest user with their own client address. */
export interface Honest {
  kind: string;
  startedAtMs: number;
  /** The event that they wait for. */
  waitsFor: string;
  /** Performs the next step. Rejects with a sentence if the service refuses it. */
  step(): Promise<'done' | 'waiting'>;
}

/** From the choice to the payment. */
const MAX_THINKING_MS = 5 * MINUTE_MS;
const USDC = { pay_asset: 'USDC', pay_network: 'base' };
const PRICE_UNITS = 49_000_000n;
const CONVERTED = {
  pay_asset: 'USDC',
  pay_network: 'ethereum',
  refund_address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
};

type Kind = (world: AbuseWorld, from: string) => AsyncGenerator<string, void, void>;

/**
 * The acts of honest customers and merchants; each `yield` waits for the next step of the clock, and names what it waits
 * for.
 */
export const HONEST: Record<string, Kind> = {
  'exact amount, attacked link': (world, from) => payExactly(world, from, world.attacked, 'link'),
  'exact amount, attacked merchant': (world, from) => payExactly(world, from, world.attacked, 'session'),
  'exact amount, other link': (world, from) => payExactly(world, from, world.other, 'link'),
  'exact amount, other merchant': (world, from) => payExactly(world, from, world.other, 'session'),
  'test mode, attacked link': (world, from) => payInTestMode(world, from, world.attacked),
  'test mode, other link': (world, from) => payInTestMode(world, from, world.other),
  'claim, attacked link': payByClaim,
  'connected wallet, attacked link': payByWallet,
  'conversion, attacked link': (world, from) => payConverted(world, from, world.attacked),
  'conversion, other link': (world, from) => payConverted(world, from, world.other),
  'login by mail': logInByMail,
  'login by wallet': logInByWallet,
  'quote of the attacked merchant': (world, from) => askQuote(world, from, world.attacked),
  'quote of the other merchant': (world, from) => askQuote(world, from, world.other),
};

export function newHonest(world: AbuseWorld, kind: string, from: string): Honest {
  const steps = (HONEST[kind] as Kind)(world, from);
  const honest: Honest = {
    kind,
    startedAtMs: world.nowMs(),
    waitsFor: '',
    async step() {
      const next = await steps.next();
      if (next.done) return 'done';
      honest.waitsFor = next.value;
      return 'waiting';
    },
  };
  return honest;
}

async function* payExactly(world: AbuseWorld, from: string, shop: Shop, by: 'link' | 'session') {
  const id = by === 'link' ? await open(world, from, shop.link) : (await shop.merchant.live.createSession()).id;
  const payment = await choose(world, from, id, USDC);
  yield* think(world);
  send(world, shop, { amountUnits: units(payment.amount) });
  yield* waitUntilPaid(world, from, shop, id);
}

async function* payInTestMode(world: AbuseWorld, from: string, shop: Shop) {
  const id = await open(world, from, shop.testLink);
  await choose(world, from, id, USDC);
  yield* think(world);
  const path = `/v1/public/checkout/sessions/${id}/test`;
  await must(world.call('POST', path, from, { body: { action: 'paid' } }), 'the test payment');
  yield* waitUntilPaid(world, from, shop, id);
}

/** Sends the price without its suffix, and signs a claim. Strangers see the transaction and claim it too. */
async function* payByClaim(world: AbuseWorld, from: string) {
  const { attacked } = world;
  const id = await open(world, from, attacked.link);
  await choose(world, from, id, USDC);
  yield* think(world);
  const key = privateKeyToAccount(generatePrivateKey());
  const hash = send(world, attacked, { amountUnits: PRICE_UNITS, from: key.address });
  world.seen.push({ hash, sender: key.address });
  yield 'others to see the transaction';
  const signature = await key.signMessage({ message: claimText({ sessionId: id, network: 'base', txHash: hash }) });
  const path = `/v1/public/checkout/sessions/${id}/transactions`;
  await must(world.call('POST', path, from, { body: { tx_hash: hash, signature } }), 'the claim');
  yield* waitUntilPaid(world, from, attacked, id);
}

async function* payByWallet(world: AbuseWorld, from: string) {
  const { attacked } = world;
  const id = await open(world, from, attacked.link);
  const key = privateKeyToAccount(generatePrivateKey());
  const message = senderText({ sessionId: id, network: 'base', address: key.address });
  const proof = { sender: key.address, sender_signature: await key.signMessage({ message }) };
  const payment = await choose(world, from, id, { ...USDC, ...proof });
  yield* think(world);
  const tag = Buffer.from(payment.tag.slice(2), 'hex').subarray(4);
  send(world, attacked, { amountUnits: units(payment.amount), from: key.address, carried: [tag] });
  yield* waitUntilPaid(world, from, attacked, id);
}

async function* payConverted(world: AbuseWorld, from: string, shop: Shop) {
  const id = await open(world, from, shop.link);
  const payment = await choose(world, from, id, CONVERTED);
  yield* think(world);
  world.converter.deposit(payment.address);
  yield* waitUntilPaid(world, from, shop, id);
}

/** By the code of the mail, or by its link if strangers have used up the code's tries. */
async function* logInByMail(world: AbuseWorld, from: string) {
  const { email } = world.attacked.merchant;
  await must(world.call('POST', '/v1/auth/email/start', from, { body: { email } }), 'the request for a code');
  let tried: Mail | undefined;
  while (true) {
    const mail = world.mails.mails.findLast(({ to }) => to === email);
    if (mail && mail !== tried && (await logInWith(world, from, mail))) return;
    tried = mail;
    yield 'a mail that is still good';
  }
}

async function logInWith(world: AbuseWorld, from: string, mail: Mail): Promise<boolean> {
  const code = mail.subject.split(' ').at(-1);
  const verified = await world.call('POST', '/v1/auth/email/verify', from, { body: { email: mail.to, code } });
  if (verified.status === 200) return true;
  const token = new URLSearchParams(mail.text.match(/https:\S+#(\S+)/)?.[1]).get('login');
  const headers = { origin: world.ctx.config.publicUrl };
  const path = '/dashboard/session/link';
  const followed = await world.call('POST', path, from, { body: { email: mail.to, token }, headers });
  if (followed.status === 200) world.loginsByLink += 1;
  return followed.status === 200;
}

async function* logInByWallet(world: AbuseWorld, from: string) {
  const { address, network } = world.owner;
  const nonce = await must(world.call('POST', '/v1/auth/nonce', from, { body: { address, network } }), 'the nonce');
  yield 'the next step';
  const signature = await world.owner.sign(nonce.nonce);
  await must(world.call('POST', '/v1/auth/verify', from, { body: { address, network, signature } }), 'the signature');
}

async function* askQuote(world: AbuseWorld, from: string, { merchant }: Shop) {
  const [wallet] = (await merchant.live.get('/payout-wallets')).data;
  yield 'the next step';
  const query = { payout_wallet_id: wallet.id, amount: '49.00', pay_asset: 'USDC', pay_network: 'ethereum' };
  await must(world.call('GET', '/v1/routes/quote', from, { query, token: merchant.liveKey }), 'the quote');
}

async function open(world: AbuseWorld, from: string, link: string): Promise<string> {
  return (await must(world.call('POST', `/v1/public/payment-links/${link}/open`, from), 'opening the link')).id;
}

async function choose(world: AbuseWorld, from: string, id: string, body: object): Promise<Data> {
  world.honestCheckouts.push(id);
  const path = `/v1/public/checkout/sessions/${id}/pay`;
  return (await must(world.call('POST', path, from, { body }), 'the choice')).payment;
}

function* think(world: AbuseWorld): Generator<string> {
  const until = world.nowMs() + world.random.between(15 * SECOND_MS, MAX_THINKING_MS);
  while (world.nowMs() < until) yield 'the customer to send';
}

function send(
  world: AbuseWorld,
  shop: Shop,
  sent: { amountUnits: bigint; from?: string; carried?: Uint8Array[] },
): string {
  const { ledger, random } = world;
  const movement = { index: 0, asset: 'USDC' as const, to: shop.address, meantFor: null };
  const hash = random.hex(32);
  const movements = [{ ...movement, from: random.hex(20), carried: [], ...sent }];
  ledger.send({ hash, reverted: false, contract: false, movements });
  return hash;
}

async function* waitUntilPaid(world: AbuseWorld, from: string, shop: Shop, id: string) {
  const sentAtMs = world.nowMs();
  const path = `/v1/public/checkout/sessions/${id}`;
  for (;;) {
    yield 'the payment to be paid';
    const { status } = await must(world.call('GET', path, from), 'the page');
    if (status === 'paid') break;
    if (!['pending', 'routing', 'settling'].includes(status)) throw new Error(`the payment is ${status}`);
  }
  world.paidAfterMs.push(world.nowMs() - sentAtMs);
  while (!shop.webhooks.get(id)?.includes('payment.paid')) yield 'the webhook of the paid payment';
}

function units(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

async function must(answer: Promise<TestAnswer>, what: string): Promise<Data> {
  const { status, body, raw } = await answer;
  if (status >= 400) throw new Error(`${what} was refused: ${status} ${body?.error?.message ?? raw}`);
  return body?.data;
}
