import { parseArgs } from 'node:util';
import type { CheckoutSession, Quittance } from '@quittance/sdk';
import { connect, secretKey, serviceUrl, SHARED_OPTIONS } from '../profile.ts';
import { type Command, UsageError } from '../command.ts';
import { print } from '../terminal.ts';

/** How to cause each event with real objects of test mode. */
const STORIES: Record<string, (quittance: Quittance, session: CheckoutSession) => Promise<unknown>> = {
  'payment.created': async () => undefined,
  'payment.pending': (quittance, session) =>
    quittance.testHelpers.pay(session.id, { ...direct(session), outcome: 'underpaid' }),
  'payment.paid': (quittance, session) =>
    quittance.testHelpers.pay(session.id, { ...direct(session), outcome: 'paid' }),
  'payment.routing': (quittance, session) => quittance.testHelpers.pay(session.id, { ...routed, outcome: 'paid' }),
  'payment.settling': (quittance, session) => quittance.testHelpers.pay(session.id, { ...routed, outcome: 'paid' }),
  'payment.failed': (quittance, session) => quittance.testHelpers.pay(session.id, { ...routed, outcome: 'failed' }),
  'payment.expired': (quittance) => quittance.testHelpers.advanceClock(61),
  'payment.refund_required': (quittance, session) =>
    quittance.testHelpers.pay(session.id, { ...direct(session), outcome: 'refund_required' }),
  'payment.refunded': async (quittance, session) => {
    const { payment } = await quittance.testHelpers.pay(session.id, { ...direct(session), outcome: 'paid' });
    await quittance.payments.refund(payment as string, { reason: 'triggered' });
  },
};

/** The payout wallet's own coin. */
function direct({ deposit_addresses: addresses }: CheckoutSession): { pay_asset: string; pay_network: string } {
  const target = addresses.find(({ kind }) => kind === 'direct');
  if (!target) throw new Error('The default payout wallet does not accept direct payments.');
  return { pay_asset: target.asset, pay_network: target.network };
}

// No wallet receives it, so it is always converted.
const routed = { pay_asset: 'BTC', pay_network: 'bitcoin' };

/** Causes an event in test mode: opens a real session and completes the steps until the event is sent. */
export const trigger: Command = {
  name: 'trigger',
  usage: `quittance trigger EVENT [--amount 25.00] [--currency USD] [--order-id ID] [--json]\n\nEvents: ${Object.keys(STORIES).join(', ')}`,
  summary: 'Trigger a test-mode event.',
  async run(args, terminal) {
    const {
      values,
      positionals: [type, ...more],
    } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...SHARED_OPTIONS,
        amount: { type: 'string', default: '25.00' },
        currency: { type: 'string', default: 'USD' },
        'order-id': { type: 'string' },
      },
    });
    const story = type === undefined ? undefined : STORIES[type];
    if (!story || more.length > 0)
      throw new UsageError(type === undefined ? 'Event missing.' : `There is no event "${type}" to trigger.`);

    const key = await secretKey(terminal, values);
    if (key.startsWith('sk_live_') || values.live)
      throw new UsageError('Events can be triggered in test mode only. Use a test key.');
    const quittance = connect(key, await serviceUrl(terminal, values));
    const session = await quittance.checkout.sessions.create({
      amount: values.amount,
      currency: values.currency as 'USD',
      description: `quittance trigger ${type}`,
      ...(type === 'payment.expired' && { expires_in: 60 }),
      ...(values['order-id'] && { order_id: values['order-id'] }),
    });
    await story(quittance, session);
    const after = await quittance.checkout.sessions.retrieve(session.id);
    print(terminal, values.json ? JSON.stringify(after) : `${type}  ${after.id}  ${after.status}`);
    return undefined;
  },
};
