import { Type } from '@sinclair/typebox';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { CURRENCIES, MAX_LINK_PAYMENTS } from '../statuses.ts';
import { component, exampleId, id, nullable, oneOf, described } from './schema.ts';

/** 0.01 to 999999999.99: at most two decimals, no sign, no exponent, no leading zeros. */
export const DISPLAY_AMOUNT_PATTERN = '^(?!0(\\.0{1,2})?$)(0|[1-9][0-9]{0,8})(\\.[0-9]{1,2})?$';

export const LIMITS = {
  descriptionLength: 500,
  orderIdLength: 200,
  labelLength: 100,
  emailLength: 254,
  customerNameLength: 200,
  customerReferenceLength: 200,
  linkPayments: MAX_LINK_PAYMENTS,
  noteLabelLength: 60,
  metadataPairs: 50,
  metadataKeyLength: 40,
  metadataValueLength: 500,
  lineItems: 100,
  lineItemNameLength: 250,
  urlLength: 2048,
  /** A hash, or the link of its page at an explorer. */
  txHashLength: 250,
  refundReasonLength: 280,
  expiresInLeastSeconds: 60,
  expiresInMostSeconds: 30 * 86_400,
  idempotencyKeyLength: 255,
} as const;

/** A display amount in a request: `"49"`, `"49.5"` and `"49.50"` are all read. */
export function amountInput(description: string) {
  return Type.String({
    description,
    pattern: DISPLAY_AMOUNT_PATTERN,
    rule: 'a decimal string from 0.01 to 999999999.99 with at most two decimals, such as "49.00"',
    examples: ['49.00'],
  });
}

/** A display amount in an answer: always two decimals. */
export function displayAmount(description: string, example = '49.00') {
  return Type.String({ description, pattern: '^-?(0|[1-9][0-9]*)\\.[0-9]{2}$', examples: [example] });
}

/** An amount of an asset, in whole units with all of its decimals. */
export function assetAmount(description: string, example = '49.000000') {
  return Type.String({ description, pattern: '^(0|[1-9][0-9]*)(\\.[0-9]+)?$', examples: [example] });
}

export function timestamp(description: string, example = '2026-03-14T09:26:53.589Z') {
  return Type.String({ description, format: 'date-time', examples: [example] });
}

/**
 * Any ISO 8601 date or instant in a query; without an offset it is UTC. The `+` of an offset that was not encoded
 * arrives as a space.
 */
export function instantInput(description: string) {
  return Type.String({
    description,
    pattern: '^\\d{4}-\\d{2}-\\d{2}([Tt ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?([Zz]|[ +-]\\d{2}:?\\d{2})?)?$',
    rule: 'an ISO 8601 date or time such as 2026-03-01T00:00:00Z',
    examples: ['2026-03-01T00:00:00Z'],
  });
}

export function url(description: string, example: string) {
  return Type.String({ description, format: 'uri', examples: [example] });
}

/** An email address in a request, also at an international domain. */
export function emailInput(description: string, example: string) {
  return Type.String({
    description,
    format: 'email',
    minLength: 1,
    maxLength: LIMITS.emailLength,
    examples: [example],
  });
}

/** An address in a request that a verb looks at itself: which schemes and hosts are right depends on its use. */
export function urlInput(description: string, example: string) {
  return Type.String({ description, text: 'url', minLength: 1, maxLength: LIMITS.urlLength, examples: [example] });
}

export const livemode = Type.Boolean(described('`true` in live mode, `false` in test mode.', true));

export const currency = oneOf(CURRENCIES, described('The display currency.', 'USD'));

/** A choice as people write it: `a, b or c`. */
export function alternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** An asset's symbol in a request, in upper or lower case. */
export function assetInput(description: string, example = 'USDC') {
  return Type.String({ description, minLength: 1, maxLength: 20, examples: [example] });
}

/** A network's slug in a request, in upper or lower case. */
export function networkInput(description: string, example = 'base') {
  return Type.String({ description, minLength: 1, maxLength: 20, examples: [example] });
}

export function assetLabel(description: string, example = 'USDC') {
  return Type.String({ description, examples: [example] });
}

export function networkLabel(description: string, example = 'base') {
  return Type.String({ description, examples: [example] });
}

/** A network in CAIP-2. */
export function caip2Label(description: string) {
  return Type.String({ description, examples: ['eip155:8453'] });
}

/** An asset in CAIP-19. */
export function caip19Label(description: string) {
  return Type.String({ description, examples: ['eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'] });
}

/** An address in CAIP-10. */
export function caip10Label(description: string, address = '0x52908400098527886E0F7030069857D2E4169EE7') {
  return Type.String({ description, examples: [`eip155:8453:${address}`] });
}

/** What every list reads: how many, and from where. */
export function pageQuery(limitDefault = 25) {
  return {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: limitDefault,
        description: 'Maximum number of items to return.',
        examples: [limitDefault],
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'The `pagination.cursor` of the previous page, or the ID of its last object.',
        examples: ['cur_4Xq2LwZ8nT6vRb1KsYc9MdHf'],
      }),
    ),
    starting_after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'Alias of `cursor`.',
        examples: [exampleId('pay')],
      }),
    ),
  };
}

export const PaginationShape = component(
  'Pagination',
  Type.Object(
    {
      cursor: nullable(Type.String(), {
        description: 'Send it as `cursor` for the next page; null on the last one.',
        examples: ['cur_4Xq2LwZ8nT6vRb1KsYc9MdHf'],
      }),
      has_more: Type.Boolean(described('Whether there is a next page.', true)),
      total: Type.Optional(Type.Integer({ minimum: 0, description: 'Total number of items, if known.' })),
    },
    { description: 'Pagination.' },
  ),
);

export const requestId = id(
  'req',
  "Identifies this request in the server's logs. Also sent as the `Request-Id` header.",
);

export const ErrorShape = component(
  'Error',
  Type.Object(
    {
      error: Type.Object({
        code: oneOf(Object.keys(ERRORS) as ErrorCode[], {
          description: 'Error code. Base program logic on this field.',
          examples: ['not_found'],
        }),
        message: Type.String({
          description: 'Human-readable explanation: what was wrong and what is expected.',
          examples: [ERRORS.not_found.message],
        }),
        param: nullable(Type.String(), {
          description:
            'Path of the rejected field, such as `line_items[0].quantity`; null if no single field caused the error.',
          examples: ['id'],
        }),
      }),
      request_id: requestId,
    },
    { description: 'The response body of every error.' },
  ),
);

/** The answer of a deletion. */
export function deletedShape(name: string, prefix: string) {
  return component(
    name,
    Type.Object({
      id: id(prefix, 'The ID of the deleted object.'),
      deleted: Type.Boolean(described('Always true.', true)),
    }),
  );
}
