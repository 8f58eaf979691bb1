import { privateKeyToAccount } from 'viem/accounts';
import { claimText } from '../../../src/settlement/attribution/claim.ts';
import type { Movement, Tx } from './ledger.ts';
import type { Checkout, SimNetwork, World } from './world.ts';

interface Wallet {
  network: SimNetwork;
  asset: Checkout['asset'];
  address: string;
}

/** Keys that never pay, so that nothing they sign may move money. */
const ATTACKERS = Array.from({ length: 3 }, (_, at) => privateKeyToAccount(`0x${String(at + 1).padStart(64, '9')}`));
const CLAIMS_PER_FLOOD = 14;
export const MAX_DUST_UNITS = 3;
/** Two of them exceed the hourly list of an unproved address. */
const TRANSFERS_PER_CROWD = 280;

/** One of the ways in which strangers cause work for a service that reads a public chain. */
export async function disturb(world: World): Promise<string> {
  const { random } = world;
  const act = random.next();
  // A claim may come before its transaction.
  if (act < 0.25) return `${floodWithDust(world)}${random.chance(0.5) ? `; ${await floodWithClaims(world)}` : ''}`;
  if (act < 0.35) return floodWithTaggedDust(world);
  if (act < 0.5) return poison(world);
  if (act < 0.75) return release(world);
  return floodWithClaims(world);
}

function floodWithDust(world: World): string {
  const wallet = watchedWallet(world);
  return wallet ? sendDust(world, wallet) : 'no wallet is watched yet';
}

/** Each transaction's calldata holds the tag of a session, which its page shows to everyone. */
function floodWithTaggedDust(world: World): string {
  const named = world.checkouts.filter((checkout) => checkout.shown?.tag);
  if (named.length === 0) return 'no reference is known to copy';
  const { id, network, asset, wallet, shown } = world.random.pick(named);
  const unproven = [(shown as NonNullable<Checkout['shown']>).tag as Uint8Array];
  return `${sendDust(world, { network, asset, address: wallet }, unproven)} with the tag of ${id}`;
}

function sendDust(world: World, wallet: Wallet, unproven?: Uint8Array[]): string {
  const { random } = world;
  const hash = random.hex(32);
  world.floods.add(hash);
  const count = random.between(20, 120);
  send(
    world,
    wallet.network,
    hash,
    Array.from({ length: count }, (_, index) => ({
      ...fromStranger(world, wallet),
      index,
      amountUnits: BigInt(random.between(1, MAX_DUST_UNITS)),
      ...(unproven && { unproven }),
    })),
  );
  return `${count} worthless transfers come to ${wallet.address} on ${wallet.network} (${hash.slice(0, 10)})`;
}

/** An exchange's wallet that a merchant saved, or an address like it. Once per world, because it takes time. */
export function crowd(world: World): string {
  const { random } = world;
  if (world.crowded) return 'no second crowd comes';
  const wallet = watchedWallet(world);
  if (wallet?.asset !== 'USDC') return 'no wallet is watched for USDC yet';
  world.crowded = { network: wallet.network, address: wallet.address, hashes: new Set() };
  for (let sent = 0; sent < 2; sent += 1) {
    const hash = random.hex(32);
    world.crowded.hashes.add(hash);
    send(
      world,
      wallet.network,
      hash,
      Array.from({ length: TRANSFERS_PER_CROWD }, (_, index) => ({
        ...fromStranger(world, wallet),
        index,
        amountUnits: BigInt(random.between(3_000, 9_000)) * 1_000_003n,
      })),
    );
  }
  return `${2 * TRANSFERS_PER_CROWD} transfers of strangers come to ${wallet.address} on ${wallet.network}`;
}

/** A transaction that the service cannot store, or cannot attribute. */
function poison(world: World): string {
  const { random } = world;
  const wallet = watchedWallet(world);
  if (!wallet) return 'no wallet is watched yet';
  const hash = random.hex(32);
  const fails = random.pick(['store', 'attribute'] as const);
  world.poison.set(hash, fails);
  send(world, wallet.network, hash, [fromStranger(world, wallet)]);
  return `${hash.slice(0, 10)} to ${wallet.address} on ${wallet.network} cannot be ${fails === 'store' ? 'stored' : 'attributed'}`;
}

/** A third party pays with calldata that anyone may have written: the reference of this session, or of another one. */
function release(world: World): string {
  const { random } = world;
  const named = world.checkouts.filter((checkout) => checkout.shown?.tag);
  if (named.length === 0) return 'no reference is known to copy';
  const checkout = random.pick(named);
  const shown = checkout.shown as NonNullable<Checkout['shown']>;
  const hash = random.hex(32);
  // Enough to pay it, but not the exact amount, which would pay it correctly.
  const amountUnits =
    shown.amountUnits + BigInt(random.between(1_000_001, 9_000_000)) * 10n ** BigInt(checkout.decimals - 6);
  send(world, checkout.network, hash, [
    {
      index: 0,
      asset: checkout.asset,
      from: random.hex(20),
      to: checkout.wallet,
      amountUnits,
      carried: [],
      unproven: [shown.tag as Uint8Array],
      meantFor: null,
    },
  ]);
  return `a third party releases ${amountUnits} with the copied reference of ${checkout.id} (${hash.slice(0, 10)})`;
}

async function floodWithClaims(world: World): Promise<string> {
  const { random } = world;
  if (world.checkouts.length === 0) return 'there is no session to claim for';
  const target = random.pick(world.checkouts);
  const sent = world.checkouts.flatMap((checkout) => checkout.sent);
  const statuses: Record<number, number> = {};
  for (let posted = 0; posted < CLAIMS_PER_FLOOD; posted += 1) {
    const checkout = random.chance(0.8) ? target : random.pick(world.checkouts);
    const known = random.chance(0.3) ? [...world.floods].filter((hash) => isUnseen(world, hash)) : sent;
    const hash = known.length > 0 && random.chance(0.5) ? random.pick(known) : random.hex(32);
    const attacker = random.pick(ATTACKERS);
    const message = claimText({
      sessionId: random.chance(0.8) ? checkout.id : random.pick(world.checkouts).id,
      network: checkout.network,
      txHash: hash,
    });
    const signature = random.chance(0.6)
      ? await attacker.signMessage({ message })
      : random.pick([random.hex(65), random.hex(64), random.hex(3), '', 'x'.repeat(500), `0x${'0'.repeat(130)}`]);
    const sender = random.chance(0.3)
      ? { sender: random.pick([checkout.customer.address, attacker.address, '0x1', '']) }
      : {};
    const { status } = await world.inject('POST', `/v1/public/checkout/sessions/${checkout.id}/transactions`, {
      body: { tx_hash: hash, signature, ...sender },
    });
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return `claims by strangers for ${target.id}: ${Object.entries(statuses)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')}`;
}

/** Whether no provider shows it yet, because a hint stores everything that it finds. */
function isUnseen({ chains }: World, hash: string): boolean {
  return Object.values(chains).every((chain) =>
    chain.providers.every(({ view }) => view.every(({ txs }) => txs.every((tx) => tx.hash !== hash))),
  );
}

/** A wallet with a session, because others are not read. */
function watchedWallet({ random, checkouts }: World): Wallet | undefined {
  if (checkouts.length === 0) return undefined;
  const { network, asset, wallet } = random.pick(checkouts);
  return { network, asset, address: wallet };
}

function fromStranger({ random }: World, { asset, address }: Wallet): Movement {
  // Never an amount that is due.
  const amountUnits = BigInt(random.between(1, 1e6)) * 1_000_003n * 10n ** (asset === 'ETH' ? 12n : 0n);
  return { index: 0, asset, from: random.hex(20), to: address, amountUnits, carried: [], meantFor: null };
}

function send(world: World, network: SimNetwork, hash: string, movements: Movement[]): void {
  const tx: Tx = { hash, movements, reverted: false, contract: false };
  world.ledgers[network].send(tx);
}
