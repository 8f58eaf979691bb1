import { jsonOf, type SampleCall } from './sample-call.ts';

/** How the client's method takes its arguments: the ids of the path, then the query or the body, or one field of it. */
interface Method {
  call: string;
  /** Reads a list to its end. */
  list?: true;
  /** The fields of the body that are separate arguments, in order. */
  fields?: string[];
}

const METHODS: Record<string, Method> = {
  createCheckoutSession: { call: 'checkout.sessions.create' },
  getCheckoutSession: { call: 'checkout.sessions.retrieve' },
  createPaymentLink: { call: 'paymentLinks.create' },
  getPaymentLink: { call: 'paymentLinks.retrieve' },
  updatePaymentLink: { call: 'paymentLinks.update' },
  listPaymentLinks: { call: 'paymentLinks.list', list: true },
  disablePaymentLink: { call: 'paymentLinks.disable' },
  enablePaymentLink: { call: 'paymentLinks.enable' },
  getPayment: { call: 'payments.retrieve' },
  listPayments: { call: 'payments.list', list: true },
  recordRefund: { call: 'payments.refund' },
  acceptPayment: { call: 'payments.accept' },
  getReceipt: { call: 'payments.receipt' },
  getPaymentTimeline: { call: 'payments.timeline' },
  verifyReceipt: { call: 'receipts.verify', fields: ['receipt'] },
  createPayoutWallet: { call: 'payoutWallets.create' },
  getPayoutWallet: { call: 'payoutWallets.retrieve' },
  listPayoutWallets: { call: 'payoutWallets.list', list: true },
  setDefaultPayoutWallet: { call: 'payoutWallets.setDefault' },
  archivePayoutWallet: { call: 'payoutWallets.archive' },
  proveWalletOwnership: { call: 'payoutWallets.proveOwnership' },
  getRouteQuote: { call: 'routes.quote' },
  createWebhookEndpoint: { call: 'webhookEndpoints.create' },
  listWebhookEndpoints: { call: 'webhookEndpoints.list', list: true },
  deleteWebhookEndpoint: { call: 'webhookEndpoints.delete' },
  enableWebhookEndpoint: { call: 'webhookEndpoints.enable' },
  rotateWebhookSecret: { call: 'webhookEndpoints.rotateSecret' },
  testWebhook: { call: 'webhookEndpoints.test', fields: ['endpoint_id', 'event'] },
  listWebhookDeliveries: { call: 'webhookEndpoints.deliveries', list: true },
  listDeliveryAttempts: { call: 'webhookDeliveries.retrieve' },
  redeliverFailed: { call: 'webhookEndpoints.redeliverFailed', fields: ['since'] },
  redeliverWebhook: { call: 'webhookDeliveries.redeliver' },
  getEvent: { call: 'events.retrieve' },
  listEvents: { call: 'events.list', list: true },
  listTransfers: { call: 'transfers.list', list: true },
  assignTransfer: { call: 'transfers.assign', fields: ['payment'] },
  releaseTransfer: { call: 'transfers.release' },
  handleTransfer: { call: 'transfers.handle' },
  getAccount: { call: 'account.retrieve' },
  updateAccount: { call: 'account.update' },
  createApiKey: { call: 'apiKeys.create' },
  getCurrentApiKey: { call: 'apiKeys.current' },
  listApiKeys: { call: 'apiKeys.list', list: true },
  rotateApiKey: { call: 'apiKeys.rotate' },
  deleteApiKey: { call: 'apiKeys.delete' },
  createInvitation: { call: 'invitations.create' },
  listInvitations: { call: 'invitations.list', list: true },
  revokeInvitation: { call: 'invitations.revoke' },
  testPaySession: { call: 'testHelpers.pay' },
  advanceTestClock: { call: 'testHelpers.advanceClock', fields: ['seconds'] },
};

/** Whether the operation is a list, which clients read to its end. */
export function isList(operationId: string): boolean {
  return METHODS[operationId]?.list === true;
}

/** A call of the API with this repository's client; undefined if the client has no method for it. */
export function sdkOf({ base, ids, query, headers, body }: SampleCall, operationId: string): string | undefined {
  const method = METHODS[operationId];
  if (!method) return undefined;
  const credential = headers.some(([, value]) => value.includes('LOGIN_TOKEN'))
    ? 'QUITTANCE_LOGIN_TOKEN'
    : 'QUITTANCE_KEY';
  const rest = Object.keys(query).length > 0 ? typed(query) : body;
  const given = method.fields?.map((field) => {
    const text = literal((body as Record<string, unknown>)[field]);
    return field === 'since' ? `new Date(${text})` : text;
  });
  const values = [...ids.map(literal), ...(given ?? (rest === undefined ? [] : [literal(rest)]))];
  const call = `quittance.${method.call}(${values.join(', ')})`;
  const setUp =
    `import { Quittance } from '@quittance/sdk';\n\nconst quittance = new ` +
    `Quittance(process.env.${credential}, {\n  baseUrl: '${base.replace(/\/v1$/, '')}',\n});\n\n`;
  if (method.list) return `${setUp}for await (const item of ${call}) {\n  console.log(item.id);\n}`;
  return `${setUp}const result = await ${call};\nconsole.log(result);`;
}

/** The values of a query, typed as in the client. */
function typed(query: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value === 'true' ? true : value]));
}

/** A value as JavaScript: names without quotes, strings in single quotes. */
function literal(value: unknown): string {
  return jsonOf(value)
    .replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replace(/"((?:[^"\\]|\\.)*)"/g, (_, text: string) => `'${text.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`);
}
