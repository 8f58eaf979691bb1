import { createApp } from '../server/src/app.ts';
import { readConfig } from '../server/src/config.ts';
import { ApiError, CannotStart } from '../server/src/platform/errors.ts';
import { reconcile } from '../server/src/resources/payments/rescan.ts';

// `npm run reconcile -- <payment> --tx <hash>`: looks at one transaction for a payment, whatever the watcher knows of
// it, by the same rules. Safe to repeat.
const [payment, flag, txHash] = process.argv.slice(2);
if (!payment?.startsWith('pay_') || flag !== '--tx' || !txHash) {
  console.error('npm run reconcile -- <pay_…> --tx <hash>');
  process.exit(2);
}

try {
  const app = await createApp(readConfig({ LOG_LEVEL: 'warn', ...process.env }));
  try {
    const { status, transfers } = await reconcile(app.ctx, payment, txHash);
    for (const transfer of transfers) {
      const whose = transfer.paymentId === null ? `nobody's (${transfer.reason})` : `of ${transfer.paymentId} by ${transfer.attributedBy}`;
      console.log(`${transfer.asset} transfer ${transfer.id}: ${transfer.status}, ${whose}`);
    }
    if (transfers.length === 0) console.log('The transaction brought nothing to this payment\'s wallet, or no provider knows it yet.');
    console.log(`The payment is ${status}.`);
  } finally {
    await app.close();
  }
} catch (error) {
  if (!(error instanceof CannotStart) && !(error instanceof ApiError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
