/** The test that runs a block of code of the guides, and how its source names the block; or why no test can run it. */
export type Run = { by: string; as?: string } | { why: string };

const JOURNEYS = 'server/test/journeys';
const GUIDES = `${JOURNEYS}/guides.test.ts`;
const PROGRAMS = `${JOURNEYS}/guides-programs.test.ts`;
const RECEIVERS = `${JOURNEYS}/guides-receivers.test.ts`;
const STATEMENTS = `${JOURNEYS}/guides-statements.test.ts`;
const VERIFY = `${JOURNEYS}/guides-verify.test.ts`;
const FRAMEWORKS = `${JOURNEYS}/guides-frameworks.test.ts`;
const OUTSIDE = 'server/test/programs/outside-clients/run.ts';
const GO_LIVE = 'server/test/programs/go-live/run.ts';
const MEDUSA = 'server/test/programs/shops/medusa.ts';
const VENDURE = 'server/test/programs/shops/vendure.ts';
const AUDIENCE = `${JOURNEYS}/webhooks/audience.test.ts`;
const BROWSER = 'e2e/follows-the-guides.test.ts';

/** Every block, by its guide and its file name, or the beginning of its first line if it has none. */
export const GUIDE_BLOCKS: Record<string, Run> = {
  'chat.md chat.mjs': { by: GUIDES },
  'chat.md export CHAT_URL=': { by: GUIDES },
  'chat.md npx --no quittance trigger': { by: GUIDES },
  'checkout-page.md <script src=': { why: 'Two lines for a page that the reader has. shop.html has the same two.' },
  'coming-from-coinbase-commerce.md from-charge.mjs': { by: GUIDES },
  'coming-from-coinbase-commerce.md instead-of-commerce.mjs': { by: GUIDES },
  'customers.md customer.mjs': { by: GUIDES },
  'embedding.md shop.html': { by: BROWSER, as: 'shop.mjs' },
  'embedding.md shop.mjs': { by: BROWSER },
  'first-payment.md npm init -y': { by: GUIDES },
  'first-payment.md export QUITTANCE_KEY=': { why: "The reader's own key and server. Tests set both variables." },
  'first-payment.md checkout.mjs': { by: GUIDES },
  'first-payment.md node checkout.mjs': { by: GUIDES, as: "node('checkout.mjs')" },
  'first-payment.md curl': { by: GUIDES },
  'first-payment.md pay.mjs': { by: GUIDES },
  'first-payment.md node pay.mjs cs_': { by: GUIDES, as: "node('pay.mjs', id)" },
  'first-payment.md export WEBHOOK_SECRET=': { by: GUIDES },
  'first-payment.md receiver.mjs': { by: GUIDES, as: "serve('receiver.mjs')" },
  'first-payment.md refused.mjs': { by: GUIDES },
  'frameworks.md npm install': {
    why: 'It installs two packages that the service serves; a test of the packages reads them.',
  },
  'frameworks.md express-shop.mjs': { by: FRAMEWORKS },
  'frameworks.md hono-shop.mjs': { by: FRAMEWORKS },
  'frameworks.md app/layout.js': { by: OUTSIDE, as: "'app/layout.js'" },
  'frameworks.md app/page.js': { by: OUTSIDE, as: "'app/page.js'" },
  'frameworks.md app/checkout/route.js': { by: FRAMEWORKS, as: "'app/checkout/route.js'" },
  'frameworks.md app/webhooks/route.js': { by: FRAMEWORKS, as: "'app/webhooks/route.js'" },
  'frameworks.md order.mjs': { by: FRAMEWORKS },
  'medusa.md npm install': {
    why: 'It installs packages that the service serves; the program of the shops installs the same archives.',
  },
  'medusa.md medusa-config.js': { by: MEDUSA },
  'mcp.md npx --no quittance login': { why: 'The login needs a person who confirms it in a browser.' },
  'mcp.md {': { why: "The settings of the reader's agent, with paths of their machine." },
  'on-debian.md export NAME=': { by: GO_LIVE },
  'on-debian.md test -s /etc/quittance/env': { by: GO_LIVE },
  'on-debian.md sed "s/': { by: GO_LIVE },
  'on-debian.md grep -m 1 -o': { by: GO_LIVE },
  'own-checkout-page.md own-page.mjs': { by: BROWSER },
  'own-checkout-page.md own-page.html': { by: BROWSER, as: 'own-page.mjs' },
  'payment-links.md link.mjs': { by: GUIDES },
  'payment-links.md change.mjs': { by: GUIDES },
  'payment-links.md stop.mjs': { by: GUIDES },
  'payment-links.md key=': { by: GUIDES },
  'programs.md buy.mjs': { by: PROGRAMS },
  'programs.md npm install @x402/fetch': { by: PROGRAMS },
  'programs.md x402.mjs': { by: PROGRAMS },
  'programs.md x402-v1.mjs': { by: OUTSIDE },
  'programs.md mppx.mjs': { by: PROGRAMS },
  'programs.md X402_FACILITATOR_BASE_URL=': { by: PROGRAMS },
  'receipts.md receipt.mjs': { by: STATEMENTS },
  'receipts.md curl -s': { by: STATEMENTS },
  'receipts.md verify.mjs': { by: STATEMENTS },
  'routed-payments.md quote.mjs': { by: GUIDES },
  'testing.md expiry.mjs': { by: GUIDES },
  'testing.md npx --no quittance trigger': { by: GUIDES },
  'testing.md npx --no quittance check-receiver': { by: VERIFY },
  'testing.md ✓ a signed event': { why: 'What a receiver with two faults is told, cut to three lines.' },
  'testing.md receiver.test.mjs': { by: GUIDES },
  'testing.md node --test receiver.test.mjs': { by: GUIDES, as: "node('--test', 'receiver.test.mjs')" },
  'unusual-payments.md Quittance payment claim': { by: GUIDES },
  'unusual-payments.md refund.mjs': { by: GUIDES },
  'vendure.md npm install': {
    why: 'It installs packages that the service serves; the program of the shops installs the same archives.',
  },
  'vendure.md quittance.mjs': { by: VENDURE },
  'vendure.md mutation StartPayment': { by: VENDURE },
  'verify-webhooks.md npm install stripe': { by: VERIFY },
  'verify-webhooks.md with-stripe.mjs': { by: VERIFY },
  'verify-webhooks.md with-standardwebhooks.mjs': { by: VERIFY },
  'verify-webhooks.md verify-webhook.mjs': { by: VERIFY },
  'verify-webhooks.md verify.py': { by: VERIFY },
  'verify-webhooks.md verify.php': { by: VERIFY },
  'verify-webhooks.md verify.rb': { by: VERIFY },
  'verify-webhooks.md verify.go': { by: VERIFY },
  'verify-webhooks.md Webhook.java': { by: VERIFY },
  'verify-webhooks.md Webhook.cs': { why: 'Neither npm nor Debian has .NET, so no machine of the tests runs it.' },
  'verify-webhooks.md buy.py': { by: VERIFY },
  'verify-webhooks.md buy.php': { by: VERIFY },
  'webhooks.md receiver.mjs': { by: GUIDES },
  'webhooks.md export WEBHOOK_SECRET=': { by: GUIDES },
  'webhooks.md npx --no quittance trigger': { by: GUIDES },
  'webhooks.md express.mjs': { by: GUIDES },
  'webhooks.md route.mjs': { by: GUIDES },
  'webhooks.md public-key.mjs': { by: STATEMENTS },
  'webhooks.md verify-by-key.mjs': { by: AUDIENCE },
  'webhooks.md register.mjs': { by: GUIDES },
  'webhooks.md import { newestEvents }': { by: RECEIVERS },
  'webhooks.md handle-once.mjs': { by: RECEIVERS },
  'webhooks.md repair.mjs': { by: GUIDES },
};
