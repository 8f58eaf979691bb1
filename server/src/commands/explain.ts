import { parseArgs } from 'node:util';
import { type Readiness, readHealth } from '../health.ts';
import { StartupError } from '../platform/errors.ts';
import { formatDisplayAmount } from '../platform/money.ts';
import { readTimeline } from '../resources/payments/timeline.ts';
import { findPaymentById, findPaymentOfSession } from '../settlement/records/payment-store.ts';
import { UsageError, print } from './print.ts';
import { withApp } from './with-app.ts';

/**
 * `quittance-server explain <payment>`: what happened to a payment of any account, and the state of the network that it
 * waits for. Changes nothing.
 */
export async function run(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const [id = '', ...others] = positionals;
  if (!/^(pay|cs)_/.test(id) || others.length > 0)
    throw new UsageError('Name one payment, by its id pay_…, or by the id cs_… in the address of its checkout.');

  await withApp(async ({ ctx }) => {
    const payment = await (id.startsWith('cs_') ? findPaymentOfSession(ctx.db, id) : findPaymentById(ctx.db, id));
    if (!payment) throw new StartupError(`No such payment: ${id}.`);
    const { receiveAsset: asset, receiveNetwork: network } = payment;
    print(
      `${payment.id} of ${payment.accountId}: ${payment.status.replace('_', ' ')}, ` +
        `${formatDisplayAmount(payment.amountMinor)} ${payment.currency} in ${payment.livemode ? 'live' : 'test'} mode, ` +
        `to receive ${asset} on ${network}`,
    );
    const { entries } = await readTimeline(ctx, { id: payment.accountId, livemode: payment.livemode }, payment.id);
    for (const { at, summary, data } of entries) print([at, summary, data.tx_hash].filter(Boolean).join('  '));
    if (payment.livemode) for (const line of linesOf(network, (await readHealth(ctx)).networks[network])) print(line);
  });
}

/** The state of a network, in lines. */
export function linesOf(name: string, state: Readiness['networks'][string] | undefined): string[] {
  if (!state) return [`${name}: no provider in the settings, so nothing is read`];
  const { reachable, stalled, behind_seconds: behind, second_pass_behind_seconds: second, providers } = state;
  const read = `read until ${behind} s ago${second === null ? '' : `, and a second time until ${(behind ?? 0) + second} s ago`}`;
  return [
    `${name}: ${[
      reachable ? 'reachable' : 'no provider answers',
      stalled ? 'stalled: no process reads it' : behind === null ? 'rests' : read,
    ].join(', ')}`,
    ...providers.map(
      (one) =>
        `${name} ${one.name}: last answered ${one.last_answered_at ?? 'never'}${one.last_error ? `, ${one.last_error}` : ''}`,
    ),
  ];
}
