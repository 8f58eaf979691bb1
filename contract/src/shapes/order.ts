import { type Static, type TObject, Type } from '@sinclair/typebox';
import { emailInput, LIMITS } from './common.ts';
import { component, nullable, described } from './schema.ts';

const EXAMPLE = { email: 'kim@example.com', name: 'Kim Reyes', reference: 'customer-1042' };

export const CustomerShape = component(
  'Customer',
  Type.Object(
    {
      email: nullable(Type.String(), described('Email address, in lower case.', EXAMPLE.email)),
      name: nullable(Type.String(), described('Name.', EXAMPLE.name)),
      reference: nullable(Type.String(), described('Your own ID of the customer.', EXAMPLE.reference)),
    },
    { description: 'The customer, as you described them. Never shown on the checkout page.' },
  ),
);

const customer = nullable(CustomerShape, described('The customer that you sent, or null.', EXAMPLE));

/** The customer in a request. Every field is optional. */
function customerInput(description: string) {
  return Type.Object(
    {
      email: Type.Optional(emailInput('Email address. Stored in lower case.', EXAMPLE.email)),
      name: Type.Optional(
        Type.String({
          description: 'Name.',
          minLength: 1,
          text: 'line',
          maxLength: LIMITS.customerNameLength,
          examples: [EXAMPLE.name],
        }),
      ),
      reference: Type.Optional(
        Type.String({
          description:
            'Your own ID of the customer. It identifies them in the dashboard; without it, the email address does.',
          minLength: 1,
          text: 'line',
          maxLength: LIMITS.customerReferenceLength,
          examples: [EXAMPLE.reference],
        }),
      ),
    },
    { description, examples: [EXAMPLE] },
  );
}

const metadataInput = Type.Unsafe<Record<string, string>>({
  type: 'object',
  description:
    `Up to ${LIMITS.metadataPairs} key-value pairs of strings, returned on the session, its payment and ` +
    `every webhook. Keys up to ${LIMITS.metadataKeyLength} characters, values up to ${LIMITS.metadataValueLength}.`,
  additionalProperties: { type: 'string', text: 'lines', maxLength: LIMITS.metadataValueLength },
  propertyNames: {
    text: 'line',
    maxLength: LIMITS.metadataKeyLength,
    rule: `at most ${LIMITS.metadataKeyLength} characters long, in one line without invisible characters`,
  },
  maxProperties: LIMITS.metadataPairs,
  examples: [{ customer: '1042' }],
});

const metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  description: 'The key-value pairs you sent; `{}` if none.',
  additionalProperties: { type: 'string' },
  examples: [{ customer: '1042' }],
});

export const orderId = nullable(Type.String(), described('Your own order number.', 'order-1042'));

/** What a merchant says of an order, as sessions, payment links, payments and events show it. */
export const orderFields = { order_id: orderId, metadata, customer };

/** The order in a request. */
export function orderInput(about: { orderId: string; example: string; customer: string }) {
  return {
    order_id: Type.Optional(
      Type.String({
        description: about.orderId,
        text: 'line',
        maxLength: LIMITS.orderIdLength,
        examples: [about.example],
      }),
    ),
    metadata: Type.Optional(metadataInput),
    customer: Type.Optional(customerInput(about.customer)),
  };
}
export type OrderFields = Static<TObject<ReturnType<typeof orderInput>>>;
