import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import type { Asset } from '@quittance/contract';
import type { OneClickServer } from '../one-click-server.ts';
import type { RelayServer } from '../relay-server.ts';

export type Provider = 'one-click' | 'relay';

/** The progress of an order inside a provider. */
export type Stage =
  | 'waiting'
  | 'known'
  | 'incomplete'
  | 'processing'
  | 'delivering'
  | 'success'
  | 'refunded'
  | 'failed';

/** What a provider does with the money once it has it. */
export type Fate =
  | 'deliver'
  | 'deliver_less'
  | 'deliver_fake'
  | 'deliver_elsewhere'
  | 'deliver_nothing'
  | 'refund'
  | 'get_stuck';

/** Operates the providers: sees deposits at their addresses, and really sends payouts and refunds. */
export interface Desk {
  /** Advances one order by one step, as its money and its fate allow. */
  step(depositAddress: string, fate?: Fate): Promise<Stage>;
  /** Advances it until nothing changes. */
  finish(depositAddress: string, fate?: Fate): Promise<Stage>;
  stageOf(depositAddress: string): Stage;
  job(depositAddress: string): Job;
  detailsOf(depositAddress: string): { payoutHash?: string };
  /** The recipient of a misdirected payout. */
  stranger: Record<'ethereum' | 'solana', string>;
}

export interface Job {
  provider: Provider;
  pay: Asset;
  receive: Asset;
  depositAddress: string;
  inputUnits: bigint;
  minimumUnits: bigint;
  outputUnits: bigint;
  recipient: string;
  refundTo: string;
  /** The deadline for conversion; later deposits are returned. */
  deadline: Date;
  say(stage: Stage, details: Details): void;
}

interface Details {
  depositedUnits?: bigint;
  payoutHash?: string;
  refundedUnits?: bigint;
  reason?: string;
}

interface Means {
  oneClick: OneClickServer;
  relay: RelayServer;
  now(): Date;
  send(asset: Asset, to: string, units: bigint, token?: string): Promise<string>;
  deposited(asset: Asset, address: string): Promise<{ confirmed: bigint; seen: bigint }>;
  fakeOf(asset: Asset): string;
}

export function createDesk(means: Means): Desk {
  const stages = new Map<string, { stage: Stage; payoutHash?: string }>();

  const desk: Desk = {
    stranger: { ethereum: `0x${randomBytes(20).toString('hex')}`, solana: base58.encode(randomBytes(32)) },
    stageOf: (depositAddress) => stages.get(depositAddress)?.stage ?? 'waiting',
    job: (depositAddress) => jobOf(means, depositAddress),
    detailsOf: (depositAddress) => stages.get(depositAddress) ?? {},
    async step(depositAddress, fate = 'deliver') {
      const job = desk.job(depositAddress);
      const { stage, payoutHash } = stages.get(depositAddress) ?? { stage: 'waiting' as const };
      const { confirmed, seen } = await means.deposited(job.pay, depositAddress);
      const become = (next: Stage, details: Details = {}) => {
        const hash = details.payoutHash ?? payoutHash;
        stages.set(depositAddress, { stage: next, ...(hash && { payoutHash: hash }) });
        job.say(next, { depositedUnits: confirmed, ...(hash && { payoutHash: hash }), ...details });
        return next;
      };
      const giveBack = async (reason: string) => {
        await means.send(job.pay, job.refundTo, confirmed);
        return become('refunded', { refundedUnits: confirmed, reason });
      };

      switch (stage) {
        case 'waiting':
        case 'incomplete':
          if (seen === 0n) return stage;
          if (means.now() > job.deadline) return giveBack('TTL_EXPIRED');
          if (seen >= job.minimumUnits) return become('known');
          if (confirmed === 0n) return stage;
          // A strict address accepts the whole amount at once or nothing; the other one adds deposits up until its
          // deadline.
          return job.provider === 'relay' ? giveBack('AMOUNT_TOO_LOW') : become('incomplete');
        case 'known':
          if (seen < job.minimumUnits) return become('waiting');
          return confirmed >= job.minimumUnits ? become('processing') : stage;
        case 'processing': {
          if (fate === 'refund') return giveBack('SWAP_FAILED');
          if (fate === 'get_stuck') return become('failed');
          const surplus = confirmed - job.inputUnits;
          if (surplus > 0n) await means.send(job.pay, job.refundTo, surplus);
          return become('delivering', {
            payoutHash: await payOut(job, fate),
            ...(surplus > 0n && { refundedUnits: surplus }),
          });
        }
        case 'delivering':
          return become('success');
        default:
          return stage;
      }
    },
    async finish(depositAddress, fate) {
      for (;;) {
        const before = desk.stageOf(depositAddress);
        if ((await desk.step(depositAddress, fate)) === before) return before;
      }
    },
  };
  return desk;

  function payOut(job: Job, fate: Fate): Promise<string> {
    const { receive, recipient, outputUnits } = job;
    switch (fate) {
      case 'deliver_less':
        return means.send(receive, recipient, outputUnits - outputUnits / 20n);
      case 'deliver_fake':
        return means.send(receive, recipient, outputUnits, means.fakeOf(receive));
      case 'deliver_elsewhere':
        return means.send(receive, desk.stranger[receive.network as 'ethereum' | 'solana'], outputUnits);
      case 'deliver_nothing':
        return Promise.resolve(
          receive.network === 'solana' ? base58.encode(randomBytes(64)) : `0x${randomBytes(32).toString('hex')}`,
        );
      default:
        return means.send(receive, recipient, outputUnits);
    }
  }
}

/** The order of a deposit address, of either provider. */
function jobOf({ oneClick, relay }: Means, depositAddress: string): Job {
  const isIt = (address: string) => address.toLowerCase() === depositAddress.toLowerCase();
  for (const [address, order] of oneClick.orders) {
    if (!isIt(address)) continue;
    const { quote, quoteRequest } = order.answer;
    return {
      provider: 'one-click',
      pay: order.pay,
      receive: order.receive,
      depositAddress: address,
      inputUnits: BigInt(String(quote.amountIn)),
      minimumUnits: BigInt(String(quote.minAmountIn)),
      outputUnits: BigInt(String(quote.amountOut)),
      recipient: String(quoteRequest.recipient),
      refundTo: String(quoteRequest.refundTo),
      deadline: new Date(String(quoteRequest.deadline)),
      say: (stage, details) =>
        oneClick.set(address, ONE_CLICK[stage], {
          ...(details.depositedUnits !== undefined && { depositedAmount: String(details.depositedUnits) }),
          ...(details.payoutHash && { destinationChainTxHashes: [{ hash: details.payoutHash, explorerUrl: '' }] }),
          ...(details.refundedUnits !== undefined && { refundedAmount: String(details.refundedUnits) }),
          ...(details.reason && { refundReason: details.reason }),
          ...(stage === 'success' && { amountOut: String(quote.amountOut) }),
        }),
    };
  }
  for (const [requestId, order] of relay.orders) {
    if (!isIt(order.depositAddress)) continue;
    const { request } = order;
    return {
      provider: 'relay',
      pay: order.pay,
      receive: order.receive,
      depositAddress: order.depositAddress,
      inputUnits: order.inputUnits,
      minimumUnits: order.inputUnits,
      outputUnits: BigInt(String(request.amount)),
      recipient: String(request.recipient),
      refundTo: String(request.refundTo),
      deadline: order.deadline,
      say: (stage, details) =>
        relay.set(requestId, RELAY[stage], {
          ...(stage !== 'waiting' && { inTxHashes: [`0x${'11'.repeat(32)}`] }),
          ...(details.payoutHash && { txHashes: [details.payoutHash] }),
          ...(details.reason && { failReason: details.reason }),
        }),
    };
  }
  throw new Error(`no order has the deposit address ${depositAddress}`);
}

const ONE_CLICK = {
  waiting: 'PENDING_DEPOSIT',
  known: 'KNOWN_DEPOSIT_TX',
  incomplete: 'INCOMPLETE_DEPOSIT',
  processing: 'PROCESSING',
  delivering: 'PROCESSING',
  success: 'SUCCESS',
  refunded: 'REFUNDED',
  failed: 'FAILED',
} as const satisfies Record<Stage, string>;

const RELAY: Record<Stage, string> = {
  waiting: 'waiting',
  known: 'depositing',
  incomplete: 'waiting',
  processing: 'pending',
  delivering: 'submitted',
  success: 'success',
  refunded: 'refund',
  failed: 'failure',
};
