import { claimText, senderText } from '../../../src/settlement/attribution/claim.ts';
import { HOUR_MS } from '../../../src/platform/time.ts';
import { rememberAuthorization } from '../../support/payments.ts';
import type { TestAnswer } from '../../support/inject.ts';
import { NONCE_BYTES } from './fake-chain.ts';
import type { Movement, Tx } from './ledger.ts';
import { type CreationRequest, type Checkout, requestWithCrash, type World } from './world.ts';

type Data = any;
const ELSEWHERE = [
  ['BTC', 'bitcoin', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
  ['SOL', 'solana', '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'],
] as const;

/** No exact amount of another session. */
const MORE_UNITS = 100_000n;

/** A merchant creates a session, and its customer may choose at once. */
export async function openCheckout(world: World): Promise<string> {
  const { random } = world;
  const { merchant, wallets } = random.pick(world.merchants);
  const wallet = random.pick(wallets);
  const key = `order ${world.answered.size + world.unanswered.length + 1} ${random.hex(4)}`;
  const asked: CreationRequest = {
    key,
    merchant,
    at: world.now,
    body: {
      payout_wallet_id: wallet.id,
      amount: random.pick(['49.00', '12.50', '0.99', '1500.00', `${random.between(1, 400)}.${random.between(10, 99)}`]),
      currency: random.pick(['USD', 'USD', 'USD', 'EUR', 'AED']),
      expires_in: random.pick([60, 600, 3600, 7200]),
      order_id: key,
    },
  };
  const answer = await requestWithCrash(world, () => create(asked));
  if (answer.status === 0) {
    world.unanswered.push(asked);
    return `asks for a session (${key}) and gets no answer`;
  }
  return welcome(world, asked, answer);
}

/** Repeats unanswered or answered requests; now and then with another body under the same key. */
export async function askAgain(world: World, isSafe = false): Promise<string> {
  const { random } = world;
  const unanswered = isSafe || random.chance(0.6) ? world.unanswered.shift() : undefined;
  const asked = unanswered ?? (world.answered.size > 0 ? random.pick([...world.answered.values()]) : undefined);
  if (!asked) return 'has nothing to ask again';
  // A key is kept for a day; a later request is a new one.
  if (world.now.getTime() - asked.at.getTime() > 23 * HOUR_MS) return `${asked.key} is forgotten`;
  const changes = !unanswered && random.chance(0.4);
  const answer = await (isSafe
    ? create(asked)
    : requestWithCrash(world, () => create(changes ? { ...asked, body: { ...asked.body, amount: '7.77' } } : asked)));
  if (answer.status === 0) {
    if (unanswered) world.unanswered.push(asked);
    return `${asked.key} is not answered again`;
  }
  if (unanswered) return `again: ${await welcome(world, asked, answer)}`;
  const before = world.answered.get(asked.key);
  if (changes && answer.body?.error?.code !== 'idempotency_conflict')
    world.wrong.push(`I2: ${asked.key} with another body answered ${answer.status}`);
  if (!changes && (answer.raw !== before?.raw || answer.status !== 201))
    world.wrong.push(`I2: ${asked.key} was answered ${answer.status} and not as before`);
  return `${asked.key} again${changes ? ' with another body' : ''}: ${answer.status}`;
}

function create({ key, body, merchant }: CreationRequest): Promise<TestAnswer> {
  return merchant.request('POST', '/checkout/sessions', { body, headers: { 'idempotency-key': key } });
}

async function welcome(world: World, asked: CreationRequest, answer: TestAnswer): Promise<string> {
  const { random } = world;
  const { merchant } = asked;
  const session: Data = answer.body.data;
  const wallet = world.merchants.flatMap(({ wallets }) => wallets).find(({ id }) => id === asked.body.payout_wallet_id);
  world.answered.set(asked.key, { ...asked, raw: answer.raw });
  const checkout: Checkout = {
    id: session.id,
    paymentId: '',
    merchant,
    network: wallet.network,
    asset: wallet.asset,
    wallet: wallet.address,
    decimals: wallet.asset === 'ETH' ? 18 : 6,
    expiresAt: new Date(session.expires_at),
    customer: random.pick(world.customers),
    shown: null,
    sent: [],
    isPlain: true,
  };
  const [row] = await world.ctx.db.query<{ paymentId: string }>(
    'sim_payment_of',
    'select payment_id from checkout_sessions where id = $1',
    [session.id],
  );
  checkout.paymentId = row?.paymentId ?? '';
  world.checkouts.push(checkout);
  const chosen = random.chance(0.8) ? `, ${await choose(world, checkout)}` : '';
  return `opens ${checkout.id} (${asked.key}) for ${session.amount} ${session.currency} in ${wallet.asset} on ${wallet.network}${chosen}`;
}

export async function choose(world: World, checkout: Checkout): Promise<string> {
  const { random } = world;
  const path = `/v1/public/checkout/sessions/${checkout.id}/pay`;
  if (random.chance(0.2)) {
    const [asset, network, address] = random.pick(ELSEWHERE);
    const answer = await requestWithCrash(world, () =>
      world.inject('POST', path, { body: { pay_asset: asset, pay_network: network, refund_address: address } }),
    );
    // A customer without an answer knows no deposit address, although the order may exist.
    if (answer.status === 200 || answer.status === 0) checkout.isPlain = false;
    if (answer.status === 200) {
      for (const conversion of world.router.conversions.values()) {
        conversion.meantFor ??=
          (
            await world.ctx.db.query<{ id: string }>(
              'sim_order_session',
              'select p.session_id as id from route_orders o join payments p on p.id = o.payment_id where o.reference = $1',
              [conversion.reference],
            )
          )[0]?.id ?? null;
      }
    }
    return `${checkout.id} chooses ${asset} on ${network}: ${answer.status}`;
  }
  const proves = random.chance(0.2);
  const sender = checkout.customer.address;
  const proof = proves && {
    sender,
    sender_signature: await checkout.customer.signMessage({
      message: senderText({ sessionId: checkout.id, network: checkout.network, address: sender }),
    }),
  };
  const answer = await requestWithCrash(world, () =>
    world.inject('POST', path, { body: { pay_asset: checkout.asset, pay_network: checkout.network, ...proof } }),
  );
  if (answer.status === 200) show(checkout, answer.body.data.payment);
  return `${checkout.id} chooses ${checkout.asset}${proves ? ' with a proved sender' : ''}: ${answer.status}`;
}

async function look(world: World, checkout: Checkout): Promise<void> {
  const answer = await world.inject('GET', `/v1/public/checkout/sessions/${checkout.id}`);
  if (answer.status === 200 && answer.body.data.payment?.kind === 'direct') show(checkout, answer.body.data.payment);
}

function show(checkout: Checkout, payment: Data): void {
  const units = (text: string) => BigInt(text.replace('.', ''));
  const tag = payment.tag ? Buffer.from(payment.tag.slice(2), 'hex').subarray(4) : null;
  checkout.shown = {
    amountUnits: units(payment.amount),
    dueUnits: units(payment.amount_due),
    tag,
    // No exact amount is reserved, so the page lets only a wallet pay that sends the tag.
    needsTag: payment.identified_by === 'reference',
  };
}

/** The customer pays correctly, or in one of the many wrong ways. */
export async function sendMoney(world: World): Promise<string> {
  const { random } = world;
  const open = world.checkouts.filter((checkout) => checkout.shown);
  if (open.length === 0) return 'has no session to pay for';
  const recent = open.slice(-12);
  const checkout = random.pick(random.chance(0.8) ? recent : open);
  const shown = checkout.shown as NonNullable<Checkout['shown']>;
  const tag = shown.tag ? [shown.tag] : [];
  const way = random.next();
  const once = checkout.sent.length === 0;
  const plain = (amountUnits: bigint, carried: Uint8Array[], text: string) => {
    if (!once) checkout.isPlain = false;
    return pay(world, checkout, [move(checkout, amountUnits, carried)], { text });
  };

  if (way < 0.03) return once ? payByAuthorization(world, checkout) : 'has paid already';
  if (way < 0.4)
    return once
      ? plain(shown.amountUnits, random.chance(0.3) || shown.needsTag ? tag : [], 'pays exactly')
      : 'has paid already';
  checkout.isPlain = false;
  if (way < 0.5) return plain(shown.amountUnits / BigInt(random.between(2, 5)), tag, 'pays a part with its tag');
  if (way < 0.58) {
    await look(world, checkout);
    return checkout.shown && checkout.shown.dueUnits > 0n
      ? plain(checkout.shown.dueUnits, [], 'pays what is missing')
      : 'sees nothing missing';
  }
  if (way < 0.64) return plain(shown.amountUnits * 2n, tag, 'pays too much with its tag');
  if (way < 0.68) return plain(shown.amountUnits, [], 'pays the same again');
  if (way < 0.72) return plain(1n, tag, 'pays dust');
  if (way < 0.77) return payInAnotherCoin(world, checkout, move(checkout, shown.amountUnits, tag));
  if (way < 0.82) return payInOneBundle(world, checkout, open);
  if (way < 0.87) return payFromStranger(world, checkout);
  if (way < 0.92)
    return pay(world, checkout, [move(checkout, shown.amountUnits, [])], {
      text: 'pays, but it is reverted',
      reverted: true,
    });
  if (way < 0.96)
    return pay(
      world,
      checkout,
      [move(checkout, shown.amountUnits, []), { ...move(checkout, shown.amountUnits / 3n + 1n, tag), index: 1 }],
      { text: 'pays twice in one transaction' },
    );
  return plain(
    shown.amountUnits + BigInt(random.between(1, 5)) * 10n ** BigInt(checkout.decimals),
    [],
    'pays more than was asked, without a tag',
  );
}

/** More than is due, so that only the nonce that the payer has signed shows whose it is. */
async function payByAuthorization(world: World, checkout: Checkout): Promise<string> {
  const { random, ctx } = world;
  if (checkout.asset !== 'USDC') return 'has no coin that takes authorizations';
  const nonce = Buffer.from(random.hex(NONCE_BYTES).slice(2), 'hex');
  const movement = move(checkout, (checkout.shown?.amountUnits ?? 0n) + MORE_UNITS, [nonce]);
  await rememberAuthorization(ctx.db, { sessionId: checkout.id, payer: movement.from, token: checkout.asset, nonce });
  return pay(world, checkout, [movement], { text: 'pays by an authorization' });
}

/** Pays once in a way that identifies the payment and leaves nothing due; the hash, or undefined if it has been paid. */
export async function payOnce(world: World, checkout: Checkout): Promise<string | undefined> {
  const { random } = world;
  const { shown, isPlain, sent } = checkout;
  if (!shown || !isPlain || sent.length > 0) return undefined;
  const way = random.next();
  const tag = shown.tag ? [shown.tag] : [];
  if (way < 0.25 && checkout.asset === 'USDC') await payByAuthorization(world, checkout);
  else if (way < 0.5 && shown.tag)
    pay(world, checkout, [move(checkout, shown.amountUnits + MORE_UNITS, tag)], { text: 'pays more with its tag' });
  else pay(world, checkout, [move(checkout, shown.amountUnits, shown.needsTag ? tag : [])], { text: 'pays exactly' });
  return sent[0];
}

function payInAnotherCoin(world: World, checkout: Checkout, movement: Movement): string {
  if (checkout.network !== 'ethereum') return 'has no other coin';
  const asset = checkout.asset === 'USDC' ? 'USDT' : 'USDC';
  return pay(world, checkout, [{ ...movement, asset, meantFor: null }], { text: 'pays in another coin' });
}

/** A thief's own transfer carries a victim's references, or is in a bundle with a victim's transfer. */
function payInOneBundle(world: World, checkout: Checkout, open: readonly Checkout[]): string {
  const victim = world.random.pick(open);
  if (victim.network !== checkout.network || victim === checkout) return 'finds no victim';
  if (victim.sent.length > 0) victim.isPlain = false;
  const [full, part] = [victim.shown?.amountUnits ?? 0n, (checkout.shown?.amountUnits ?? 0n) / 10n + 1n];
  const movements = [move(victim, full, []), { ...move(checkout, part, []), index: 1 }];
  return pay(world, victim, movements, { text: `pays ${victim.id} and itself in one bundle` });
}

/** An unrelated amount, far from any that is due. */
function payFromStranger(world: World, checkout: Checkout): string {
  const { random } = world;
  const amountUnits = BigInt(random.between(1, 1e6)) * 1_000_003n * 10n ** BigInt(checkout.decimals - 6);
  const movement = { ...move(checkout, amountUnits, []), from: random.hex(20), meantFor: null };
  return pay(world, checkout, [movement], { text: 'a stranger pays' });
}

function move(checkout: Checkout, amountUnits: bigint, carried: Uint8Array[]): Movement {
  return {
    index: 0,
    asset: checkout.asset,
    from: checkout.customer.address,
    to: checkout.wallet,
    amountUnits,
    carried,
    meantFor: checkout.id,
  };
}

function pay(
  world: World,
  checkout: Checkout,
  movements: Movement[],
  { text, reverted = false }: { text: string; reverted?: boolean },
): string {
  const { random } = world;
  const tx: Tx = { hash: random.hex(32), movements, reverted, contract: random.chance(0.3) };
  if (tx.contract) checkout.isPlain = false;
  world.ledgers[checkout.network].send(tx);
  for (const one of world.checkouts)
    if (movements.some((movement) => movement.meantFor === one.id)) one.sent.push(tx.hash);
  return `${checkout.id} ${text} (${tx.hash.slice(0, 10)}, ${movements.map((movement) => movement.amountUnits).join(' and ')})`;
}

/** A hint, a claim, or an attempt to claim another's transfer. */
export async function submitTransaction(world: World): Promise<string> {
  const { random } = world;
  const paid = world.checkouts.filter((checkout) => checkout.sent.length > 0);
  if (paid.length === 0) return 'has nothing to point at';
  const payer = random.pick(paid);
  const hash = random.pick(payer.sent);
  const claimant = random.chance(0.6) ? payer : random.pick(world.checkouts);
  const signs = random.chance(0.6);
  // The owner's signature says what their money is for; another signature says nothing.
  const signer = random.chance(0.8) ? claimant.customer : random.pick(world.customers);
  const message = claimText({ sessionId: claimant.id, network: claimant.network, txHash: hash });
  const signature = signs && { signature: await signer.signMessage({ message }) };
  const answer = await requestWithCrash(world, () =>
    world.inject('POST', `/v1/public/checkout/sessions/${claimant.id}/transactions`, {
      body: { tx_hash: hash, ...signature },
    }),
  );
  if (signs) {
    // The sender of several payments may assign any of them to any order.
    allow(world, hash, claimant.id, signer.address);
    for (const one of world.checkouts) if (one.sent.includes(hash) && one !== claimant) one.isPlain = false;
    claimant.isPlain &&= claimant === payer;
  }
  return `${claimant.id} ${signs ? 'claims' : 'points at'} ${hash.slice(0, 10)}: ${answer.status}`;
}

function allow(world: World, hash: string, sessionId: string, by: string): void {
  world.allowed.set(hash, (world.allowed.get(hash) ?? new Set()).add(`${sessionId} ${by}`));
}

/** The merchant records a refund, accepts a payment, assigns a transfer or marks it as handled. */
export async function merchantActs(world: World): Promise<string> {
  const { random } = world;
  if (world.checkouts.length === 0) return 'has nothing to do';
  const checkout = random.pick(world.checkouts);
  const { dashboard } = checkout.merchant;
  const act = random.next();
  if (act < 0.3) {
    checkout.isPlain = false;
    const answer = await requestWithCrash(world, () =>
      checkout.merchant.request('POST', `/payments/${checkout.paymentId}/refund`, { body: {} }),
    );
    return `refunds ${checkout.id}: ${answer.status}`;
  }
  if (act < 0.6)
    return (
      `accepts ${checkout.id}: ` +
      `${(await requestWithCrash(world, () => dashboard.request('POST', `/payments/${checkout.paymentId}/accept`))).status}`
    );
  const { data } = await checkout.merchant.get('/transfers', { unattributed: 'true' });
  if (data.length === 0) return 'finds nothing unattributed';
  const transfer = random.pick<Data>(data);
  if (act < 0.8) {
    const answer = await requestWithCrash(world, () =>
      dashboard.request('POST', `/transfers/${transfer.id}/assign`, { body: { payment: checkout.paymentId } }),
    );
    if (answer.status === 200 || answer.status === 0) {
      allow(world, transfer.tx_hash, checkout.id, 'hand');
      checkout.isPlain = false;
      for (const one of world.checkouts) if (one.sent.includes(transfer.tx_hash)) one.isPlain = false;
    }
    return `assigns ${transfer.id} to ${checkout.id}: ${answer.status}`;
  }
  return `handles ${transfer.id}: ${(await dashboard.request('POST', `/transfers/${transfer.id}/handle`)).status}`;
}
