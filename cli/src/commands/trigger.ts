import { parseArgs } from 'node:util';
import type { Quittance } from '@quittance/sdk';
import { client, SHARED_OPTIONS } from '../profile.ts';
import { type Command, UsageError } from '../command.ts';
import { print } from '../terminal.ts';

/** How each event comes about, by real objects of test mode. */
const STORIES: Record<string, (quittance: Quittance, sessionId: string, paymentId: () => Promise<string>) => Promise<unknown>> = {
  'payment.created': async () => undefined,
  'payment.pending': (quittance, id) => quittance.testHelpers.pay(id, { ...direct, outcome: 'underpaid' }),
  'payment.paid': (quittance, id) => quittance.testHelpers.pay(id, { ...direct, outcome: 'paid' }),
  'payment.routing': (quittance, id) => quittance.testHelpers.pay(id, { ...routed, outcome: 'paid' }),
  'payment.settling': (quittance, id) => quittance.testHelpers.pay(id, { ...routed, outcome: 'paid' }),
  'payment.failed': (quittance, id) => quittance.testHelpers.pay(id, { ...routed, outcome: 'failed' }),
  'payment.expired': (quittance) => quittance.testHelpers.advanceClock(61),
  'payment.refund_required': (quittance, id) => quittance.testHelpers.pay(id, { ...direct, outcome: 'refund_required' }),
  'payment.refunded': async (quittance, id, paymentId) => {
    await quittance.testHelpers.pay(id, { ...direct, outcome: 'paid' });
    await quittance.payments.refund(await paymentId(), { reason: 'triggered' });
  },
};
const direct = { pay_asset: 'USDC', pay_network: 'base' };
const routed = { pay_asset: 'BTC', pay_network: 'bitcoin' };

/** Makes an event happen in test mode: a real session is opened and taken to where the event is sent. */
export const trigger: Command = {
  name: 'trigger',
  usage: `quittance trigger EVENT [--amount 25.00] [--currency USD] [--order-id ID] [--json]\n\nEvents: ${Object.keys(STORIES).join(', ')}`,
  summary: 'Make an event happen in test mode, with real objects.',
  async run(args, terminal) {
    const { values, positionals: [type, ...more] } = parseArgs({
      args, allowPositionals: true,
      options: { ...SHARED_OPTIONS, amount: { type: 'string', default: '25.00' }, currency: { type: 'string', default: 'USD' }, 'order-id': { type: 'string' } },
    });
    const story = type === undefined ? undefined : STORIES[type];
    if (!story || more.length > 0) throw new UsageError(type === undefined ? 'Which event?' : `There is no event "${type}" to trigger.`);

    const quittance = await client(terminal, values);
    const session = await quittance.checkout.sessions.create({
      amount: values.amount, currency: values.currency as 'USD', description: `quittance trigger ${type}`,
      ...(type === 'payment.expired' && { expires_in: 60 }), ...(values['order-id'] && { order_id: values['order-id'] }),
    });
    await story(quittance, session.id, async () => (await quittance.checkout.sessions.retrieve(session.id)).payment ?? '');
    const after = await quittance.checkout.sessions.retrieve(session.id);
    print(terminal, values.json ? JSON.stringify(after) : `${type}  ${after.id}  ${after.status}`);
    return undefined;
  },
};
