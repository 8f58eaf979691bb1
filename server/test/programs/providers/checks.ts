import assert from 'node:assert/strict';
import { findAsset, PAY_ASSETS, RECEIVE_ASSETS, type Asset } from '@quittance/contract';
import { createOneClick } from '../../../src/outside/routers/one-click/one-click.ts';
import { createRelay } from '../../../src/outside/routers/relay/relay.ts';
import {
  type RouteOrder,
  type Router,
  RouteRefusedError,
  type RouteRequest,
} from '../../../src/outside/routers/router.ts';
import type { Exchange } from './recorder.ts';
import { deviations, ONE_CLICK, RELAY } from './shapes.ts';

/** A provider under test: the real one, or its double. */
export interface Counterpart {
  name: 'one-click' | 'relay';
  /** Through the recorder. */
  url: string;
  exchanges: Exchange[];
  key: string | null;
  signer: string;
  feeRecipient: string | null;
  feeSharePercent: number;
}

export interface Check {
  promise: string;
  run(subject: Subject): Promise<void>;
}

/** The adapter under test, and what it has received so far. */
export interface Subject {
  counterpart: Counterpart;
  router: Router;
  order?: RouteOrder;
}

// Well-formed addresses that receive no money, because no deposit is ever made.
const RECIPIENTS = {
  evm: '0x52908400098527886E0F7030069857D2E4169EE7',
  solana: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
};
const REFUNDS: Record<string, string> = {
  bitcoin: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  solana: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  bnb: RECIPIENTS.evm,
  ethereum: RECIPIENTS.evm,
  base: RECIPIENTS.evm,
};
/** One pair per family of networks in each direction: a live provider is not asked for all 128. */
const PAIRS = [
  ['BTC_BITCOIN', 'USDC_BASE'],
  ['BNB_BNB', 'USDC_SOLANA'],
  ['SOL_SOLANA', 'USDC_ETHEREUM'],
  ['USDC_BASE', 'SOL_SOLANA'],
  ['ETH_ETHEREUM', 'USDC_POLYGON'],
] as const;

export function subjectOf(counterpart: Counterpart): Subject {
  const { name, url, key, signer, feeRecipient, feeSharePercent } = counterpart;
  return {
    counterpart,
    router:
      name === 'one-click'
        ? createOneClick({ url, key, signer, feeRecipient, feeSharePercent })
        : createRelay({ url, key, feeRecipient }),
  };
}

export const CHECKS: readonly Check[] = [
  {
    promise: 'it reports the supported conversions of every asset',
    async run({ counterpart, router }) {
      const missing: string[] = [];
      for (const pay of PAY_ASSETS)
        for (const receive of RECEIVE_ASSETS)
          if (pay.key !== receive.key && !(await router.supports(pay, receive)))
            missing.push(`${pay.key} → ${receive.key}`);
      // Relay is the second provider because it does not accept every coin at a deposit address.
      if (counterpart.name === 'one-click') assert.deepEqual(missing, []);
      else assert.ok(missing.length < 128 / 2, `${missing.length} of 128 pairs are missing: ${missing.join(', ')}`);
    },
  },
  ...PAIRS.map(
    ([pay, receive]): Check => ({
      promise: `${pay} into ${receive} is previewed with the exact output`,
      async run({ router }) {
        const request = requestFor(pay, receive);
        if (!(await router.supports(request.pay, request.receive))) return;
        const { outputUnits, inputUnits } = await router.preview(request);
        assert.equal(outputUnits, request.outputUnits);
        assert.ok(inputUnits > 0n);
      },
    }),
  ),
  {
    promise:
      'an order is bound to the recipient, the refund address and the exact output, and holds until its deadline',
    async run(subject) {
      const request = requestFor('BNB_BNB', 'USDC_SOLANA');
      const deadline = new Date(Date.now() + 45 * 60_000);
      const order = await subject.router.order({
        ...request,
        refundAddress: REFUNDS.bnb as string,
        deadline,
        reference: 'contract-test',
      });
      assert.deepEqual(
        [
          order.outputUnits,
          order.refundAddress,
          order.deadline >= deadline,
          order.minimumInputUnits <= order.inputUnits,
        ],
        [request.outputUnits, REFUNDS.bnb, true, true],
      );
      assert.match(order.depositAddress, /^0x[0-9a-fA-F]{40}$/);
      subject.order = order;
    },
  },
  {
    promise: 'two orders have two deposit addresses',
    async run(subject) {
      const { order } = subject;
      assert.ok(order, 'there is no order');
      const second = await subject.router.order({
        ...requestFor('BNB_BNB', 'USDC_SOLANA'),
        refundAddress: REFUNDS.bnb as string,
        deadline: new Date(Date.now() + 45 * 60_000),
        reference: 'contract-test',
      });
      assert.notEqual(second.depositAddress.toLowerCase(), order.depositAddress.toLowerCase());
      assert.notEqual(second.reference, order.reference);
    },
  },
  {
    promise: 'an unpaid order is waiting',
    async run({ router, order }) {
      assert.ok(order, 'there is no order');
      assert.equal((await router.progress(order)).state, 'waiting');
    },
  },
  {
    promise: 'an unknown order is waiting, and reported as unknown',
    async run({ counterpart, router, order }) {
      assert.ok(order, 'there is no order');
      const unknown = {
        reference:
          counterpart.name === 'one-click' ? '0x8617E340B3D01FA5F11F306F4090FD50E238070D' : `0x${'00'.repeat(32)}`,
      };
      assert.equal((await router.progress({ ...order, ...unknown })).state, 'waiting');
    },
  },
  {
    promise: 'an amount that is too small is refused, not an outage',
    async run({ router }) {
      await assert.rejects(
        router.preview({ ...requestFor('BNB_BNB', 'USDC_SOLANA'), outputUnits: 1n }),
        RouteRefusedError,
      );
    },
  },
  {
    promise: 'a malformed recipient is refused, not an outage',
    async run({ router }) {
      await assert.rejects(
        router.preview({ ...requestFor('BNB_BNB', 'USDC_SOLANA'), recipient: 'nonsense' }),
        RouteRefusedError,
      );
    },
  },
  {
    promise: 'a hint at a deposit is taken or refused, and nothing else',
    async run({ router, order }) {
      assert.ok(order, 'there is no order');
      await router.hint?.(order, `0x${'ab'.repeat(32)}`);
    },
  },
  {
    promise: 'every call carries the key, where there is one',
    async run({ counterpart: { name, key, exchanges } }) {
      if (key === null) return;
      for (const { headers, path } of exchanges)
        assert.equal(
          name === 'one-click' ? headers.authorization : headers['x-api-key'],
          name === 'one-click' ? `Bearer ${key}` : key,
          path,
        );
    },
  },
  {
    promise: 'the requested fee is the service fee, 1.5 percent of the converted amount',
    async run({ counterpart: { name, feeRecipient, exchanges } }) {
      const quotes = exchanges.filter(({ path }) => path === (name === 'one-click' ? '/v0/quote' : '/quote/v2'));
      assert.ok(quotes.length > 0, 'nothing was quoted');
      const isPaid = feeRecipient !== null && (name === 'one-click' || feeRecipient.startsWith('0x'));
      for (const { body } of quotes)
        assert.deepEqual(
          (body as { appFees?: unknown }).appFees,
          isPaid ? [{ recipient: feeRecipient, fee: name === 'one-click' ? 150 : '150' }] : undefined,
        );
    },
  },
  {
    promise: 'every request and every answer has its documented shape',
    async run({ counterpart: { name, exchanges } }) {
      const wrong = exchanges.flatMap((exchange) => deviations(name === 'one-click' ? ONE_CLICK : RELAY, exchange));
      assert.deepEqual([...new Set(wrong)], []);
    },
  },
];

function requestFor(payKey: string, receiveKey: string): RouteRequest {
  const [pay, receive] = [assetOf(payKey), assetOf(receiveKey)];
  // About fifty dollars: above every provider's minimum, below every provider's limits.
  const outputUnits = receive.asset === 'SOL' ? 300_000_000n : 50_000_000n;
  return { pay, receive, outputUnits, recipient: receive.network === 'solana' ? RECIPIENTS.solana : RECIPIENTS.evm };
}

function assetOf(key: string): Asset {
  const [symbol = '', network = ''] = key.split('_');
  const found = findAsset(symbol, network);
  assert.ok(found, `${key} is not on the list`);
  return found;
}
