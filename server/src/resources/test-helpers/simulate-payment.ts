import { findAsset, type TestOutcome } from '@quittance/contract';
import type { Client } from '../../platform/http/admission/client.ts';
import type { Context } from '../../context.ts';
import { setSandboxOrder } from '../../outside/routers/sandbox/order-store.ts';
import { sandboxAddress } from '../../outside/routers/sandbox/addresses.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { paySession } from '../checkout-sessions/pay.ts';
import { findPublicView } from '../checkout-sessions/public-session.ts';
import { isDust } from '../../settlement/records/amounts.ts';
import { endWindow } from '../../settlement/outcome/expire.ts';
import { isOpenPayment, type Payment } from '../../settlement/records/payment.ts';
import { findRemainder } from '../../settlement/outcome/remainder.ts';
import { assessPayment } from '../../settlement/outcome/settle.ts';
import { lockPayments } from '../../settlement/records/payment-store.ts';
import { findReservedAmounts } from '../../settlement/records/reserved-amount-store.ts';
import { findOrders, type StoredOrder } from '../../settlement/records/route-order-store.ts';
import { inSandbox, type Sandbox } from './sandbox.ts';

/** What the customer of a test session pays with. */
export interface TestPayment {
  asset: string;
  network: string;
  outcome: Outcome;
}

/** `unconfirmed`: the whole amount is seen, and waits for blocks. */
type Outcome = TestOutcome | 'unconfirmed';

/**
 * Lets the customer of a test session choose and pay; the result is stored when this returns. `client` is null for the
 * merchant's own requests.
 */
export async function simulatePayment(
  ctx: Context,
  sessionId: string,
  input: TestPayment,
  client: Client | null,
): Promise<void> {
  const { session, payment } = await findPublicView(ctx, sessionId);
  invariant(!session.livemode, 'only test sessions are paid by telling');
  const isDirect =
    findAsset(input.asset, input.network)?.key === findAsset(payment.receiveAsset, payment.receiveNetwork)?.key;
  // An expired session can still be paid late.
  const isOver = payment.status === 'expired' && input.outcome === 'late';
  const isOfCoin = (order: StoredOrder) =>
    order.payAsset === input.asset.toUpperCase() && order.payNetwork === input.network.toLowerCase();
  const given = (await findOrders(ctx.db, payment.id)).findLast(isOfCoin);
  if (!isOver) await choose(ctx, sessionId, input, { isDirect, givenRefundAddress: given?.refundAddress, client });

  await inSandbox(ctx, session.accountId, async (sandbox) => {
    const held = await hold(sandbox, payment.id);
    if (isDirect) return payDirect(ctx, sandbox, held, input.outcome);
    const orders = await findOrders(sandbox.db, payment.id);
    const order = orders.findLast(isOfCoin);
    if (!order) fail('invalid_payment_state', { message: 'No conversion was started before the session expired.' });
    return payRouted(ctx, sandbox, { payment: held, order }, input.outcome);
  });
}

interface ChoiceOptions {
  isDirect: boolean;
  /** The one that the customer entered for this coin. */
  givenRefundAddress: string | undefined;
  client: Client | null;
}

async function choose(
  ctx: Context,
  sessionId: string,
  { asset, network }: TestPayment,
  { isDirect, givenRefundAddress, client }: ChoiceOptions,
): Promise<void> {
  const known = findAsset(asset, network);
  const refund =
    known && !isDirect ? { refund_address: givenRefundAddress ?? sandboxAddress(known.network, 'customer') } : {};
  await paySession(ctx, sessionId, { pay_asset: asset, pay_network: network, ...refund }, client);
}

async function payDirect(ctx: Context, sandbox: Sandbox, payment: Payment, outcome: Outcome): Promise<void> {
  const due = await dueOf(ctx, sandbox, payment);
  switch (outcome) {
    case 'unconfirmed':
      await sandbox.send(payment, due);
      return;
    case 'paid':
      if (!(await isSent(ctx, sandbox, payment))) await sandbox.send(payment, due);
      return sandbox.makeFinal(payment.receiveNetwork);
    case 'overpaid':
      await sandbox.send(payment, await firstUnreservedAmount(sandbox, payment, due + due / 10n));
      return sandbox.makeFinal(payment.receiveNetwork);
    case 'underpaid': {
      const part = await partOf(ctx, sandbox, payment);
      // Each part halves what is missing, so a checkout takes few transfers, however often this is asked.
      if (part.isDust) fail('invalid_payment_state', { message: NO_PART });
      await sandbox.send(payment, part.units);
      return sandbox.makeFinal(payment.receiveNetwork);
    }
    case 'late':
      await closeNow(ctx, sandbox, payment);
      await sandbox.send(payment, due, { blockTime: afterEnd(sandbox, payment.expiresAt) });
      return sandbox.makeFinal(payment.receiveNetwork);
    case 'failed':
      await sandbox.send(payment, due, { reverted: true });
      return closeNow(ctx, sandbox, payment);
    case 'refund_required': {
      const part = await partOf(ctx, sandbox, payment);
      // Parts of the smallest amounts never count, so the transfer is sent late instead.
      if (part.isDust && !part.isSeen) return payDirect(ctx, sandbox, payment, 'late');
      await sandbox.send(payment, part.units);
      await sandbox.makeFinal(payment.receiveNetwork);
      return closeNow(ctx, sandbox, payment);
    }
  }
}

const NO_PART = 'The missing amount is too small to pay a part of it. Simulate another outcome.';

async function payRouted(
  ctx: Context,
  sandbox: Sandbox,
  { payment, order }: { payment: Payment; order: StoredOrder },
  outcome: Outcome,
): Promise<void> {
  const { db, at } = sandbox;
  const deposit =
    outcome === 'overpaid'
      ? order.inputUnits + order.inputUnits / 10n
      : outcome === 'underpaid'
        ? order.inputUnits / 2n
        : order.inputUnits;
  const goOn = async (changes: Parameters<typeof setSandboxOrder>[2]) => {
    await setSandboxOrder(db, order.reference, changes);
    await sandbox.followOrder(payment, order);
  };
  if (outcome === 'late') await closeNow(ctx, sandbox, payment);
  if (outcome === 'underpaid') return goOn({ state: 'short', depositedUnits: deposit });

  const end = order.deadline > payment.expiresAt ? order.deadline : payment.expiresAt;
  const depositedAt = outcome === 'late' ? afterEnd(sandbox, end) : at.created;
  await goOn({ state: 'seen', depositedUnits: deposit, depositedAt: depositedAt });
  if (outcome === 'unconfirmed') return;
  await goOn({ state: 'converting' });
  if (outcome === 'failed') return goOn({ state: 'returned', reason: 'route_refunded' });
  if (outcome === 'refund_required') return goOn({ state: 'stuck', reason: 'route_failed' });

  await goOn({ state: 'delivering' });
  const txHash = await sandbox.deliver(payment, order.outputUnits, outcome === 'late' ? depositedAt : at.created);
  await goOn({ state: 'done', outputUnits: order.outputUnits, payoutTxHashes: [txHash] });
  await sandbox.makeFinal(payment.receiveNetwork);
}

/** Ends this session's window now, without moving the account's clock. */
export async function closeNow(ctx: Context, sandbox: Sandbox, { id }: Payment): Promise<void> {
  const { db, at } = sandbox;
  const payment = await hold(sandbox, id);
  if (!isOpenPayment(payment)) return;

  const assessed = await assessPayment(ctx, db, payment);
  await endWindow({ ctx, db, at }, assessed, await findOrders(db, id), { closedBy: 'test' });
}

/**
 * Half of the missing amount, without the amount suffix, which may exceed the amount itself; whether it is too small to
 * count once it arrives; and whether other parts were seen before.
 */
async function partOf(
  ctx: Context,
  sandbox: Sandbox,
  payment: Payment,
): Promise<{ units: bigint; isDust: boolean; isSeen: boolean }> {
  const { direct } = await assessPayment(ctx, sandbox.db, payment);
  const [missing, required, due] = [direct.missingUnits ?? 0n, direct.requiredUnits ?? 0n, direct.dueUnits ?? 0n];
  const units = await firstUnreservedAmount(sandbox, payment, (missing + 1n) / 2n);
  return { units, isDust: isDust(units, due, required, payment.amountMinor), isSeen: direct.seenUnits > 0n };
}

/**
 * The first amount from here on that no payment has reserved: a reserved one would go to its payment, whatever it
 * carries.
 */
async function firstUnreservedAmount({ db }: Sandbox, payment: Payment, units: bigint): Promise<bigint> {
  const place = {
    livemode: false,
    network: payment.receiveNetwork,
    address: payment.receiveAddress,
    asset: payment.receiveAsset,
  };
  const near = Array.from({ length: 1000 }, (_, at) => units + BigInt(at));
  const taken = new Set((await findReservedAmounts(db, place, near)).map((one) => one.amountUnits));
  let amount = units;
  while (taken.has(amount)) amount += 1n;
  return amount;
}

/** The missing amount, as the exact amount that is reserved for it. */
export async function dueOf(ctx: Context, sandbox: Sandbox, payment: Payment): Promise<bigint> {
  const assessed = await assessPayment(ctx, sandbox.db, payment);
  const { targets, direct } = assessed;
  const target = targets.findLast((one) => one.kind === 'direct');
  if (direct.seenUnits === 0n) return target?.amountUnits ?? direct.requiredUnits ?? 1n;
  const due = direct.dueUnits ?? 1n;
  return (await findRemainder(sandbox.db, assessed)) ?? (due > 0n ? due : 1n);
}

/** Whether an open payment only waits for blocks. Another transfer would be one too many. */
async function isSent(ctx: Context, sandbox: Sandbox, payment: Payment): Promise<boolean> {
  const { direct } = await assessPayment(ctx, sandbox.db, payment);
  return isOpenPayment(payment) && direct.seenUnits > 0n && direct.dueUnits === 0n;
}

async function hold(sandbox: Sandbox, paymentId: string): Promise<Payment> {
  return (await lockPayments(sandbox.db, [paymentId])).get(paymentId) ?? fail('not_found', { param: 'id' });
}

function afterEnd(sandbox: Sandbox, end: Date): Date {
  return later(sandbox.at.created > end ? sandbox.at.created : end, 1 * SECOND_MS);
}
