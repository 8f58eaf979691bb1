import { Type } from '@sinclair/typebox';
import { emailInput, LIMITS } from './common.ts';
import { component, nullable } from './schema.ts';

const EXAMPLE = { email: 'kim@example.com', name: 'Kim Reyes', reference: 'customer-1042' };

export const CustomerShape = component(
  'Customer',
  Type.Object(
    {
      email: nullable(Type.String(), {
        description: 'Email address, in lower case.',
        examples: [EXAMPLE.email],
      }),
      name: nullable(Type.String(), { description: 'Name.', examples: [EXAMPLE.name] }),
      reference: nullable(Type.String(), {
        description: 'Your own ID of the customer.',
        examples: [EXAMPLE.reference],
      }),
    },
    { description: 'The customer, as you described them. Never shown on the checkout page.' },
  ),
);

export const customer = nullable(CustomerShape, {
  description: 'The customer that you sent, or null.',
  examples: [EXAMPLE],
});

/** The customer in a request. Every field is optional. */
export function customerInput(description: string) {
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
