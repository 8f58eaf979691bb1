import type { Context } from '../../../src/context.ts';
import { injectOver } from '../../support/inject.ts';
import { serve } from '../../support/listen.ts';
import { type Merchant, newMerchant } from '../../support/merchant.ts';
import type { Credential } from './requests.ts';

const MAX_IDS_KEPT = 60;

/**
 * The accounts and objects of a run: two merchants, one whose keys come and go, one to be sacrificed, and the ids seen
 * so far.
 */
export class World {
  readonly #credentials: Record<Exclude<Credential, 'none'>, string>;
  readonly #ids = new Map<string, string[]>();
  readonly #strangers = new Map<string, string[]>();
  readonly receiver: string;

  constructor(credentials: Record<Exclude<Credential, 'none'>, string>, receiver: string) {
    this.#credentials = credentials;
    this.receiver = receiver;
  }

  token(credential: Credential): string | undefined {
    return credential === 'none' ? undefined : this.#credentials[credential];
  }

  /** One of the ids with this prefix, or a well-formed one if none was seen. */
  id(prefix: string, pick: number, ofStranger = false): string {
    const known = (ofStranger ? this.#strangers : this.#ids).get(prefix) ?? [];
    return known[pick % Math.max(1, known.length)] ?? `${prefix}_${String(pick).padStart(24, '0')}`;
  }

  isStrangers(id: string): boolean {
    return this.#strangers.get(id.split('_')[0] as string)?.includes(id) ?? false;
  }

  /** Stores every id of a response. */
  meet(answer: string, ofStranger = false): void {
    for (const [id] of answer.matchAll(/\b(?:cs|pp|pl|pay|we|evt|qt|key|tr|dlv)_[0-9A-Za-z]{24}\b/g)) {
      const prefix = id.split('_')[0] as string;
      const ids = ofStranger ? this.#strangers : this.#ids;
      const known = ids.get(prefix) ?? [];
      if (known.includes(id) || (!ofStranger && this.isStrangers(id))) continue;
      ids.set(prefix, [...known, id].slice(-MAX_IDS_KEPT));
    }
  }
}

/** Creates both merchants and one object of each kind for each of them. */
export async function createWorld(ctx: Context, url: string): Promise<{ world: World; close: () => Promise<void> }> {
  const inject = injectOver(url);
  // Of sample events.
  const server = await serve((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
  const receiver = `${server.url}/hook`;
  const [own, stranger, keeper, sacrifice] = [
    await newMerchant(ctx, inject),
    await newMerchant(ctx, inject),
    await newMerchant(ctx, inject),
    await newMerchant(ctx, inject),
  ];
  const world = new World(
    {
      key: own.testKey,
      live: own.liveKey,
      login: own.loginToken,
      stranger: stranger.testKey,
      keeper: keeper.loginToken,
      sacrifice: sacrifice.loginToken,
      wrong: `${own.testKey.slice(0, -1)}${own.testKey.endsWith('0') ? '1' : '0'}`,
    },
    receiver,
  );

  for (const answer of await oneOfEverything(stranger, receiver)) world.meet(answer, true);
  for (const answer of await oneOfEverything(own, receiver)) world.meet(answer);
  return { world, close: server.stop };
}

async function oneOfEverything(merchant: Merchant, receiver: string): Promise<string[]> {
  const answers: string[] = [];
  const post = async (path: string, body: unknown, by = merchant) => {
    const answer = await by.request('POST', path, { body });
    if (answer.status >= 300) throw new Error(`POST ${path} answered ${answer.status}: ${answer.raw}`);
    answers.push(answer.raw);
    return answer.body?.data;
  };
  await post('/payout-wallets', {
    asset: 'USDC',
    network: 'base',
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
  });
  const wallet = await post('/payout-wallets', {
    asset: 'USDC',
    network: 'solana',
    address: '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs',
  });
  await post('/webhook-endpoints', { url: receiver, events: ['payment.created', 'payment.paid'] });
  await post('/payment-links', {
    payout_wallet_id: wallet?.id,
    amount: '5.00',
    currency: 'USD',
    description: 'A thing',
  });
  for (const outcome of ['paid', 'underpaid', 'late', null]) {
    const session = await post('/checkout/sessions', { amount: '49.00', currency: 'USD' });
    if (outcome)
      await post(`/test_helpers/checkout/sessions/${session?.id}/pay`, {
        pay_asset: 'USDC',
        pay_network: 'base',
        outcome,
      });
  }
  for (const path of ['/events', '/payments', '/transfers', '/webhook-endpoints'])
    answers.push((await merchant.request('GET', path)).raw);
  return answers;
}
