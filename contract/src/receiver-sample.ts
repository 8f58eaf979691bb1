/** A receiver of webhooks in Express: shown beside a new secret and in the development inbox, and run by a test. */
export const RECEIVER_SAMPLE = [
  "import express from 'express';",
  "import { constructEvent } from '@quittance/sdk/webhooks';",
  '',
  'const app = express();',
  '',
  "app.post('/webhooks', express.raw({ type: 'application/json' }), async (request, response) => {",
  "  const event = await constructEvent(request.body, request.headers['service-signature'], process.env.WEBHOOK_SECRET);",
  "  if (event.type === 'payment.paid') console.log('fulfill', event.data.order_id);",
  '  response.status(204).end();',
  '});',
  'app.listen(4000);',
].join('\n');
