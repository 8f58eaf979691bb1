import { parseArgs } from 'node:util';
import { reconcile } from '../settlement/rescan.ts';
import { UsageError, print } from './print.ts';
import { withApp } from './with-app.ts';

/**
 * `quittance-server reconcile <payment> --tx <hash>`: looks up one transaction for a payment, whatever the watcher
 * knows of it, by the same rules.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { tx: { type: 'string' } } });
  const [payment, ...others] = positionals;
  if (!payment?.startsWith('pay_') || others.length > 0) throw new UsageError('Name one payment, by its id pay_….');
  const { tx: txHash } = values;
  if (!txHash) throw new UsageError('--tx must be the hash of a transaction.');

  await withApp(async ({ ctx }) => {
    const { status, transfers } = await reconcile(ctx, payment, txHash);
    for (const transfer of transfers) {
      const whose =
        transfer.paymentId === null
          ? `unattributed (${transfer.reason})`
          : `attributed to ${transfer.paymentId} by ${transfer.attributedBy}`;
      print(`${transfer.asset} transfer ${transfer.id}: ${transfer.status}, ${whose}`);
    }
    if (transfers.length === 0)
      print("The transaction paid nothing to this payment's wallet, or no provider knows it yet.");
    print(`The payment is ${status}.`);
  });
}
