import type { RouteOrder, RouteProgress, RouteRequest, Router } from '../../../src/outside/routers/router.ts';
import { sandboxAddress } from '../../../src/outside/routers/sandbox/addresses.ts';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { later, MINUTE_MS } from '../../../src/platform/time.ts';
import type { Ledger, Movement } from './ledger.ts';
import type { Random } from './random.ts';

/** A conversion inside the provider. */
export interface Conversion {
  request: RouteRequest;
  reference: string;
  progress: RouteProgress;
  deadline: Date;
  /** Payouts that were sent. */
  payouts: string[];
  /** The session that it converts for, once known. */
  meantFor: string | null;
}

export interface FakeRouter {
  router: Router;
  conversions: Map<string, Conversion>;
  isDown: boolean;
  /** An event inside the provider: a deposit, a conversion, a payout, a lie. */
  move(now: Date): void;
  /** Completes everything correctly. */
  finish(): void;
}

/** A provider that is late, pays too little, repeats itself, forgets, and names payouts that are not its own. */
export function createFakeRouter(ledgerOf: (network: string) => Ledger, random: Random): FakeRouter {
  const conversions = new Map<string, Conversion>();

  function payOut(conversion: Conversion, units: bigint, instead: Partial<Movement> = {}): string {
    const { request } = conversion;
    const hash = random.hex(32);
    const ledger = ledgerOf(request.receive.network);
    ledger.send({
      hash,
      reverted: false,
      contract: false,
      movements: [
        {
          index: random.between(0, 2),
          asset: request.receive.asset,
          from: random.hex(20),
          to: request.recipient,
          amountUnits: units,
          carried: [],
          meantFor: conversion.meantFor,
          ...instead,
        },
      ],
    });
    if (Object.keys(instead).length === 0) conversion.payouts.push(hash);
    return hash;
  }

  /** A payout that a fork has removed is sent again. */
  function hasPaidOut({ payouts, request }: Conversion): boolean {
    return payouts.some((hash) => ledgerOf(request.receive.network).knows(hash));
  }

  function someHash(conversion: Conversion): string[] {
    const { blocks } = ledgerOf(conversion.request.receive.network);
    const hashes = blocks.flatMap((block) => block.txs.map((tx) => tx.hash));
    return hashes.length === 0 ? [random.hex(32)] : [random.pick(hashes)];
  }

  function depositTo(conversion: Conversion, now: Date): void {
    if (random.chance(0.5))
      conversion.progress = {
        state: 'seen',
        depositedUnits: 1_000_000n,
        depositedAt: random.chance(0.5) ? now : null,
      };
    else if (random.chance(0.2)) conversion.progress = { state: 'short', depositedUnits: 10n };
    else if (now > conversion.deadline) conversion.progress = { state: 'dead', reason: 'route_expired' };
  }

  function convert(conversion: Conversion): RouteProgress {
    const { outputUnits, receive } = conversion.request;
    const delivering = (...payoutTxHashes: string[]): RouteProgress => ({ state: 'delivering', payoutTxHashes });
    const fate = random.next();
    if (fate < 0.1) return { state: 'returned', reason: null, refundedUnits: null };
    if (fate < 0.15) return { state: 'stuck', reason: 'route_failed' };
    // It claims a payout that it has not sent, with an unrelated transaction.
    if (fate < 0.3) return { state: 'done', payoutTxHashes: someHash(conversion), outputUnits };
    if (fate < 0.4)
      return { state: 'done', payoutTxHashes: [payOut(conversion, outputUnits - outputUnits / 7n)], outputUnits };
    // It pays another address, or in another coin, and reports that it has paid.
    if (fate < 0.45) return delivering(payOut(conversion, outputUnits, { to: random.hex(20) }));
    if (fate < 0.5 && receive.network === 'ethereum') {
      const asset = receive.asset === 'USDC' ? 'USDT' : 'USDC';
      return delivering(payOut(conversion, outputUnits, { asset, meantFor: null }));
    }
    if (fate < 0.55) return delivering(payOut(conversion, outputUnits), random.hex(32));
    if (fate < 0.65) return delivering();
    return delivering(payOut(conversion, outputUnits));
  }

  const fake: FakeRouter = {
    conversions,
    isDown: false,
    router: {
      name: 'fake',
      supports: async (pay) => pay.key !== 'USDC_BASE',
      preview: async (request) => ({
        provider: 'fake',
        inputUnits: request.outputUnits,
        outputUnits: request.outputUnits,
        expiresAt: new Date(0),
      }),
      async order(request): Promise<RouteOrder> {
        if (fake.isDown) throw new TemporaryError('the provider is down');
        const depositAddress = sandboxAddress(request.pay.network, random.hex(12));
        conversions.set(request.reference, {
          request,
          reference: request.reference,
          progress: { state: 'waiting' },
          deadline: request.deadline,
          payouts: [],
          meantFor: null,
        });
        return {
          provider: 'fake',
          reference: request.reference,
          depositAddress,
          inputUnits: 1_000n,
          minimumInputUnits: 990n,
          outputUnits: request.outputUnits,
          refundAddress: request.refundAddress,
          expiresAt: request.deadline,
          deadline: request.deadline,
          raw: {},
        };
      },
      async progress({ reference }) {
        await Promise.resolve();
        const conversion = conversions.get(reference);
        if (fake.isDown || !conversion) throw new TemporaryError('the provider is down');
        return conversion.progress;
      },
      close: async () => {},
    },
    move(now) {
      // No one sends money to an unknown address.
      const announced = [...conversions.values()].filter((one) => one.meantFor !== null);
      if (announced.length === 0) return;
      const conversion = random.pick(announced);
      const { progress, request } = conversion;
      switch (progress.state) {
        case 'waiting':
        case 'short':
          return depositTo(conversion, now);
        case 'seen':
          conversion.progress = { state: 'converting', depositedAt: later(now, -MINUTE_MS) };
          return;
        case 'converting':
          conversion.progress = convert(conversion);
          return;
        case 'delivering':
          if (!hasPaidOut(conversion)) payOut(conversion, request.outputUnits);
          // Its report goes back to an earlier state, or the order ends.
          conversion.progress = random.chance(0.2)
            ? { state: 'converting', depositedAt: null }
            : { state: 'done', payoutTxHashes: progress.payoutTxHashes, outputUnits: request.outputUnits };
          return;
        default:
          if (random.chance(0.05)) conversion.progress = { state: 'waiting' };
      }
    },
    finish() {
      fake.isDown = false;
      for (const conversion of [...conversions.values()].filter(
        (one) => one.meantFor !== null || one.progress.state === 'waiting',
      )) {
        const { state } = conversion.progress;
        if (state === 'waiting' || state === 'short')
          conversion.progress = hasPaidOut(conversion)
            ? { state: 'done', payoutTxHashes: [], outputUnits: null }
            : { state: 'dead', reason: 'route_expired' };
        else if (state === 'seen' || state === 'converting' || state === 'delivering' || state === 'done') {
          const isPaidOut = hasPaidOut(conversion);
          const known = 'payoutTxHashes' in conversion.progress ? conversion.progress.payoutTxHashes : [];
          const payoutTxHashes = isPaidOut ? known : [payOut(conversion, conversion.request.outputUnits)];
          conversion.progress = { state: 'done', payoutTxHashes, outputUnits: conversion.request.outputUnits };
        }
      }
    },
  };
  return fake;
}
