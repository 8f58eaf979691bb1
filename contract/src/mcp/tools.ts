import { CURRENCIES, PAYMENT_STATUSES, ROUTES } from '../statuses.ts';
import type { Scope } from '../scopes.ts';
import { LIMITS } from '../shapes/common.ts';
import type { ArgumentsSchema } from './arguments.ts';

/** One request to the API of the service, with the credential of the connected client. */
export interface ApiRequest {
  method: 'GET' | 'POST';
  /** Below the public address, `/v1` included. */
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: object;
  idempotencyKey?: string;
}

export interface ApiAnswer {
  status: number;
  /** Parsed JSON. */
  body: unknown;
}

export type CallApi = (request: ApiRequest) => Promise<ApiAnswer>;

/** The API answered with an error. The MCP server turns it into the tool's result. */
export class ApiResponseError extends Error {
  override readonly name = 'ApiResponseError';
  readonly answer: ApiAnswer;

  constructor(answer: ApiAnswer) {
    super(`The API answered ${answer.status}.`);
    this.answer = answer;
  }
}

export interface ToolResult {
  /** Our own words, before the data. Contains nothing that others wrote. */
  text: string;
  data: unknown;
}

type Arguments = Record<string, never>;

export interface Tool {
  name: string;
  title: string;
  description: string;
  scope: Scope;
  isReadOnly: boolean;
  isDestructive?: boolean;
  isIdempotent?: boolean;
  input: ArgumentsSchema;
  run(args: Arguments, api: CallApi): Promise<ToolResult>;
}

const MAX_ROWS = 50;
/** Of one export; more follow by its cursor. */
const MAX_EXPORT_PAGES = 5;

const idOf = (prefix: string, description: string) =>
  ({ type: 'string', description, pattern: `^${prefix}_[0-9A-Za-z]{24}$` }) as const;
const instant = (description: string) => ({ type: 'string', description, maxLength: 40 }) as const;
const cursor = { type: 'string', description: '`next_cursor` of the call before.', maxLength: 512 } as const;
const limit = { type: 'integer', description: 'Maximum number of rows.', minimum: 1, maximum: MAX_ROWS } as const;
const input = (properties: ArgumentsSchema['properties'], required: readonly string[] = []): ArgumentsSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const paymentFilter = {
  status: { type: 'string', description: 'Only payments in this status.', enum: PAYMENT_STATUSES },
  route: { type: 'string', description: 'Only direct or converted payments.', enum: ROUTES },
  created_after: instant('Only payments created at or after this instant (ISO 8601).'),
  created_before: instant('Only payments created before this instant (ISO 8601).'),
} as const;

const checkoutFields = {
  amount: { type: 'string', description: 'Amount to charge, such as 49.00.', maxLength: 12 },
  currency: { type: 'string', description: 'The display currency.', enum: CURRENCIES },
  order_id: { type: 'string', description: 'The order number of the merchant.', maxLength: LIMITS.orderIdLength },
  description: {
    type: 'string',
    description: 'Description shown to the customer.',
    maxLength: LIMITS.descriptionLength,
  },
  metadata: {
    type: 'object',
    description: 'Pairs of strings that are echoed.',
    additionalProperties: { type: 'string' },
  },
} as const;

const idempotencyKey = {
  type: 'string',
  description: 'Repeat a call that may have been lost with the same key: it happens once.',
  maxLength: LIMITS.idempotencyKeyLength,
  pattern: '^[\\x20-\\x7e\\x80-\\xff]+$',
} as const;

/** What a program that speaks MCP may do with a key. Accepting, assigning and refunding stay with people. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'search_payments',
    title: 'Search payments',
    description: 'List payments, newest first, by status, route and time.',
    scope: 'payments:read',
    isReadOnly: true,
    input: input({ ...paymentFilter, limit, cursor }),
    run: async (args, api) => {
      const page = await pageOf(api, '/v1/payments', { limit: 20, ...args });
      return { text: `${page.rows.length} payments.`, data: { payments: page.rows, next_cursor: page.cursor } };
    },
  },
  {
    name: 'get_payment',
    title: 'Read a payment',
    description: 'Read one payment by its id.',
    scope: 'payments:read',
    isReadOnly: true,
    input: input({ id: idOf('pay', 'The payment.') }, ['id']),
    run: async ({ id }, api) => ({
      text: 'The payment.',
      data: await readData(api, { method: 'GET', path: `/v1/payments/${id}` }),
    }),
  },
  {
    name: 'explain_payment',
    title: 'Explain a payment',
    description: 'History of a payment, step by step: statuses, transfers, quotes, webhook attempts and the refund.',
    scope: 'payments:read',
    isReadOnly: true,
    input: input({ id: idOf('pay', 'The payment.') }, ['id']),
    run: async ({ id }, api) => {
      const payment = await readData(api, { method: 'GET', path: `/v1/payments/${id}` });
      const { entries } = (await readData(api, { method: 'GET', path: `/v1/payments/${id}/timeline` })) as {
        entries: { at: string; summary: string }[];
      };
      return { text: entries.map(({ at, summary }) => `${at} ${summary}`).join('\n'), data: payment };
    },
  },
  {
    name: 'list_unattributed',
    title: 'List unattributed transfers',
    description: 'Transfers to the payout wallets that no payment took, newest first, each with the reason.',
    scope: 'transfers:read',
    isReadOnly: true,
    input: input({ limit, cursor }),
    run: async (args, api) => {
      const page = await pageOf(api, '/v1/transfers', { limit: 20, unattributed: 'true', ...args });
      return { text: `${page.rows.length} transfers.`, data: { transfers: page.rows, next_cursor: page.cursor } };
    },
  },
  {
    name: 'create_session',
    title: 'Create a checkout session',
    description:
      'Create a checkout for one order. Send the customer to its checkout_url. The money can only reach a saved wallet.',
    scope: 'sessions:write',
    isReadOnly: false,
    input: input(
      {
        ...checkoutFields,
        expires_in: {
          type: 'integer',
          description: 'Seconds until it expires.',
          minimum: LIMITS.expiresInLeastSeconds,
          maximum: LIMITS.expiresInMostSeconds,
        },
        idempotency_key: idempotencyKey,
      },
      ['amount'],
    ),
    run: async (args, api) => ({
      text: 'The session is created.',
      data: await create(api, '/v1/checkout/sessions', args),
    }),
  },
  {
    name: 'create_payment_link',
    title: 'Create a payment link',
    description: 'Create one address to share with many customers; each opening makes a session of its own.',
    scope: 'links:write',
    isReadOnly: false,
    input: input(
      { ...checkoutFields, payout_wallet_id: idOf('pp', 'The saved payout wallet.'), idempotency_key: idempotencyKey },
      ['amount', 'currency', 'description', 'payout_wallet_id'],
    ),
    run: async (args, api) => ({
      text: 'The payment link is created.',
      data: await create(api, '/v1/payment-links', args),
    }),
  },
  {
    name: 'disable_payment_link',
    title: 'Disable a payment link',
    description: 'A disabled link takes no new payments. Sessions that are open stay open.',
    scope: 'links:write',
    isReadOnly: false,
    isDestructive: true,
    isIdempotent: true,
    input: input({ id: idOf('pl', 'The link.') }, ['id']),
    run: async ({ id }, api) => ({
      text: 'The payment link is disabled.',
      data: await readData(api, { method: 'POST', path: `/v1/payment-links/${id}/disable` }),
    }),
  },
  {
    name: 'verify_receipt',
    title: 'Verify a receipt',
    description:
      'Returns whether this service signed a receipt unchanged, its claims, and whether the payment still matches it.',
    scope: 'payments:read',
    isReadOnly: true,
    input: input({ receipt: { type: 'string', description: 'The compact JWS.', maxLength: 65_536 } }, ['receipt']),
    run: async ({ receipt }, api) => {
      const verdict = (await readData(api, { method: 'POST', path: '/v1/receipts/verify', body: { receipt } })) as {
        valid: boolean;
        claims: unknown;
        current: boolean;
        superseded_by: string | null;
      };
      const { valid, claims, current, superseded_by } = verdict;
      const outdated = superseded_by
        ? ', but a newer one has replaced it'
        : ', but the payment has changed since, and no newer receipt exists';
      const words = valid ? `The receipt is valid${current ? '' : outdated}.` : 'The receipt is not valid.';
      return { text: words, data: { valid, claims, current, superseded_by } };
    },
  },
  {
    name: 'export_journal',
    title: 'Export a journal',
    description: `Income and its costs, a row per payment, newest first, up to ${MAX_EXPORT_PAGES * 100} rows a call.`,
    scope: 'payments:read',
    isReadOnly: true,
    input: input({ ...paymentFilter, cursor }),
    run: async (args, api) => {
      const rows: unknown[] = [];
      let next: string | null = (args as { cursor?: string }).cursor ?? null;
      for (let page = 0; page < MAX_EXPORT_PAGES; page += 1) {
        const some = await pageOf(api, '/v1/payments', { ...args, limit: 100, ...(next && { cursor: next }) });
        rows.push(...some.rows.map(journalRow));
        next = some.cursor;
        if (next === null) break;
      }
      return { text: `${rows.length} rows.`, data: { rows, next_cursor: next } };
    },
  },
  {
    name: 'redeliver_webhook',
    title: 'Deliver a webhook again',
    description: 'Send one delivery again now. The receiver may get the event twice.',
    scope: 'webhooks:write',
    isReadOnly: false,
    input: input({ id: idOf('dlv', 'The delivery.') }, ['id']),
    run: async ({ id }, api) => ({
      text: 'The delivery is on its way again.',
      data: await readData(api, { method: 'POST', path: `/v1/webhook-deliveries/${id}/redeliver` }),
    }),
  },
];

function journalRow(payment: unknown): object {
  const row = payment as Record<string, unknown>;
  const { refund } = row as { refund: { amount: string; created_at: string } | null };
  const columns = `id created_at status route currency amount service_fee net_settlement received_amount
    refunded_amount receive_asset receive_network actual_output tx_hashes order_id`;
  return {
    ...Object.fromEntries(columns.split(/\s+/).map((column) => [column, row[column] ?? null])),
    refunded: refund && { amount: refund.amount, recorded_at: refund.created_at },
  };
}

async function pageOf(
  api: CallApi,
  path: string,
  query: Record<string, string | number>,
): Promise<{ rows: unknown[]; cursor: string | null }> {
  const answer = await api({ method: 'GET', path, query });
  if (answer.status !== 200) throw new ApiResponseError(answer);
  const { data: rows, pagination } = answer.body as { data: unknown[]; pagination: { cursor: string | null } };
  return { rows, cursor: pagination.cursor };
}

function create(api: CallApi, path: string, args: Arguments): Promise<unknown> {
  const { idempotency_key: key, ...body } = args as { idempotency_key?: string };
  return readData(api, { method: 'POST', path, body, ...(key && { idempotencyKey: key }) });
}

/** The `data` of a successful response. Throws `ApiResponseError` otherwise. */
async function readData(api: CallApi, request: ApiRequest): Promise<unknown> {
  const answer = await api(request);
  if (answer.status >= 300) throw new ApiResponseError(answer);
  return (answer.body as { data: unknown }).data;
}
