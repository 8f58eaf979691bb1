import { type Static, Type } from '@sinclair/typebox';
import { timestamp } from './common.ts';
import { component, id, nullable, objectName, oneOf, described } from './schema.ts';

export const INVITATION_STATUSES = ['pending', 'used', 'revoked', 'expired'] as const;

const invitation = {
  id: id('inv', 'The invitation.'),
  object: objectName('invitation'),
  status: oneOf(INVITATION_STATUSES, described('Only a pending invitation opens an account.', 'pending')),
  email: nullable(Type.String(), {
    description: 'The email address that the link was sent to, or null.',
    examples: ['new-shop@example.com'],
  }),
  label: nullable(Type.String(), described('A label for your own reference.', 'The second shop')),
  created_at: timestamp('When it was created.'),
  expires_at: timestamp('When it expires.'),
  used_at: nullable(Type.String({ format: 'date-time' }), {
    description: 'When an account was opened with it, or null.',
    examples: [null],
  }),
};

export const InvitationShape = component(
  'Invitation',
  Type.Object(invitation, { description: 'Permission to open one account on this server.' }),
);
export type InvitationJson = Static<typeof InvitationShape>;

export const InvitationWithUrlShape = component(
  'InvitationWithUrl',
  Type.Object(
    {
      ...invitation,
      url: Type.String({
        description: 'The link to share. Returned only once: the server stores its hash.',
        examples: ['https://pay.example.com/dashboard/sign-in#invitation=Qm7Xc2KxWp9RtVb4NzLs8HdYf5tGv8PqWn3LxJk7RzC'],
      }),
    },
    { description: 'An invitation at the moment it is created.' },
  ),
);
export type InvitationWithUrlJson = Static<typeof InvitationWithUrlShape>;
