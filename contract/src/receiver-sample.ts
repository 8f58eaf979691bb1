/** A receiver of webhooks in Express: shown beside a new secret and in the development inbox, and run by a test. */
export const RECEIVER_SAMPLE = [
  "import express from 'express';",
  "import { readEvent, SignatureVerificationError } from '@quittance/sdk/webhooks';",
  '',
  'const app = express();',
  '',
  "app.post('/webhooks', async (request, response) => {",
  '  try {',
  '    const event = await readEvent(request, process.env.WEBHOOK_SECRET);',
  "    if (event.type === 'payment.paid') console.log('fulfill', event.data.order_id);",
  '    response.status(204).end();',
  '  } catch (error) {',
  '    response.status(error instanceof SignatureVerificationError ? error.status : 500).end(error.message);',
  '  }',
  '});',
  'app.listen(4000);',
].join('\n');
