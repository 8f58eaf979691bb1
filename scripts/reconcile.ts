import { reconcile } from '../server/src/settlement/rescan.ts';
import { beside, words } from './beside.ts';

// `npm run reconcile -- <payment> --tx <hash>`: looks at one transaction for a payment, whatever the watcher knows of
// it, by the same rules. Safe to repeat.
const { payment, tx: txHash, rest } = words('payment', 'tx');
if (!payment?.startsWith('pay_') || rest !== undefined || !txHash) {
  console.error('npm run reconcile -- <pay_…> --tx <hash>');
  process.exit(2);
}

await beside(async ({ ctx }) => {
  const { status, transfers } = await reconcile(ctx, payment, txHash);
  for (const transfer of transfers) {
    const whose =
      transfer.paymentId === null
        ? `nobody's (${transfer.reason})`
        : `of ${transfer.paymentId} by ${transfer.attributedBy}`;
    console.log(`${transfer.asset} transfer ${transfer.id}: ${transfer.status}, ${whose}`);
  }
  if (transfers.length === 0)
    console.log("The transaction brought nothing to this payment's wallet, or no provider knows it yet.");
  console.log(`The payment is ${status}.`);
});
