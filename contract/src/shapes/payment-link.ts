import { Type, type Static } from '@sinclair/typebox';
import { orderFields } from './order.ts';
import { component, exampleId, id, nullable, objectName, oneOf, described } from './schema.ts';
import {
  amountInput,
  assetLabel,
  currency,
  displayAmount,
  emailInput,
  instantInput,
  LIMITS,
  livemode,
  networkLabel,
  timestamp,
  url,
} from './common.ts';

/** What the page of a link can ask its customer for. */
export const LINK_QUESTIONS = ['name', 'email', 'note'] as const;
export type LinkQuestion = (typeof LINK_QUESTIONS)[number];

/** The optional terms of a link in a request, which can be changed later. */
export const linkTermsInput = {
  ask_for: Type.Optional(
    Type.Array(oneOf(LINK_QUESTIONS), {
      description:
        'Questions to the customer before they pay. Name and email are required then and become the ' +
        "session's `customer`; the note is optional without `note_label` and becomes `customer_note` in its metadata.",
      maxItems: LINK_QUESTIONS.length,
      examples: [['name', 'email']],
    }),
  ),
  note_label: Type.Optional(
    nullable(Type.String({ minLength: 1, text: 'line', maxLength: LIMITS.noteLabelLength }), {
      description: 'The name of the note on the page, if `ask_for` has it. A note with a name is required.',
      examples: ['Order number'],
    }),
  ),
  open_amount: Type.Optional(
    nullable(
      Type.Object({
        min: Type.Optional(amountInput('The least amount. Defaults to 0.01.')),
        max: Type.Optional(amountInput('The largest amount. Defaults to 999999999.99.')),
      }),
      {
        description:
          'Lets the customer enter the amount within these limits. The page suggests `amount`, but not where it is `min`.',
        examples: [{ min: '5.00', max: '500.00' }],
      },
    ),
  ),
  ends_at: Type.Optional(
    nullable(instantInput('An ISO 8601 date or time.'), {
      description: 'From then on the link opens no checkout. A time in the future.',
      examples: ['2027-01-01T00:00:00Z'],
    }),
  ),
  max_payments: Type.Optional(
    nullable(Type.Integer({ minimum: 1, maximum: LIMITS.linkPayments }), {
      description:
        'After this many paid payments the link opens no checkout. Checkouts that were open before can still be paid.',
      examples: [20],
    }),
  ),
};

/** What a person who opens a link says. */
export const LinkVisitorInput = Type.Object({
  amount: Type.Optional(amountInput('The amount, if the link leaves it to the customer.')),
  name: Type.Optional(
    Type.String({
      description: 'The name, if the link asks for it.',
      minLength: 1,
      text: 'line',
      maxLength: LIMITS.customerNameLength,
      examples: ['Kim Reyes'],
    }),
  ),
  email: Type.Optional(emailInput('The email address, if the link asks for it.', 'kim@example.com')),
  note: Type.Optional(
    Type.String({
      description: 'A note to the merchant, if the link asks for it.',
      text: 'lines',
      maxLength: LIMITS.metadataValueLength,
      examples: ['Vegetarian, please'],
    }),
  ),
});

export const PaymentLinkShape = component(
  'PaymentLink',
  Type.Object(
    {
      id: id('pl', 'The link.'),
      object: objectName('payment_link'),
      livemode,
      url: url(
        'The URL to share. Each customer who presses *Pay* there gets a checkout session.',
        `https://pay.example.com/pay/${exampleId('pl')}`,
      ),
      description: Type.String(described('Description shown to the customer.', 'Workshop seat')),
      amount: displayAmount('The amount to charge each time, or to suggest.'),
      currency,
      payout_wallet_id: id('pp', 'The payout wallet that receives the funds.'),
      receive_asset: assetLabel('The asset that the wallet receives.'),
      receive_network: networkLabel('The network that the wallet receives it on.'),
      status: oneOf(['active', 'disabled'], described('A disabled link accepts no new payments.', 'active')),
      payments: Type.Integer({
        minimum: 0,
        description: 'Number of paid payments made through it.',
        examples: [0],
      }),
      ask_for: Type.Array(oneOf(LINK_QUESTIONS), {
        description: 'Questions to the customer before they pay.',
        examples: [['name', 'email']],
      }),
      note_label: nullable(
        Type.String(),
        described('The name of the note on the page. Required with one, and optional without.', null),
      ),
      open_amount: nullable(
        Type.Object({
          min: displayAmount('The least amount.', '5.00'),
          max: displayAmount('The largest amount.', '500.00'),
        }),
        described('The limits within which the customer enters the amount; null if it is fixed.', null),
      ),
      ends_at: nullable(timestamp('The end.'), described('From then on the link opens no checkout.', null)),
      max_payments: nullable(Type.Integer(), {
        description: 'After this many paid payments the link opens no checkout.',
        examples: [null],
      }),
      ...orderFields,
      success_url: nullable(Type.String(), described('The value you sent.', 'https://shop.example.com/thanks')),
      cancel_url: nullable(Type.String(), described('The value you sent.', null)),
      created_at: timestamp('When it was created.'),
    },
    { description: 'A reusable URL that creates a checkout session for each customer.' },
  ),
);
export type PaymentLinkJson = Static<typeof PaymentLinkShape>;
