import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { deletedShape, LIMITS, pageQuery } from '../shapes/common.ts';
import { InvitationShape, InvitationWithUrlShape } from '../shapes/invitation.ts';
import { pathId } from '../shapes/schema.ts';

const tag = 'Invitations';
const HOUR_SECONDS = 3_600;

export const createInvitation = endpoint({
  operationId: 'createInvitation',
  method: 'POST',
  path: '/v1/invitations',
  tag,
  summary: 'Invite a merchant',
  description:
    "Creates a link that opens one account. Only the operator's account can invite, and only while the server accepts invitations (`SIGNUP=invite` or `open`). With `email` the server also mails the link.",
  auth: 'login',
  body: Type.Object({
    email: Type.Optional(
      Type.String({
        description: 'Mail the link to this address.',
        format: 'email',
        maxLength: 254,
        examples: ['new-shop@example.com'],
      }),
    ),
    label: Type.Optional(
      Type.String({ description: 'Your name for it.', maxLength: LIMITS.labelLength, examples: ['The second shop'] }),
    ),
    expires_in: Type.Optional(
      Type.Integer({
        description: 'Seconds until it expires: an hour to 30 days.',
        minimum: HOUR_SECONDS,
        maximum: 720 * HOUR_SECONDS,
        default: 168 * HOUR_SECONDS,
        examples: [168 * HOUR_SECONDS],
      }),
    ),
  }),
  bodyOptional: true,
  success: {
    status: 201,
    data: InvitationWithUrlShape,
    envelope: 'object',
    description: 'The invitation, with its link.',
  },
  invalid: 'invalid_request',
  errors: ['signup_closed', 'email_unavailable'],
});

export const listInvitations = endpoint({
  operationId: 'listInvitations',
  method: 'GET',
  path: '/v1/invitations',
  tag,
  summary: 'List the invitations',
  description: 'Newest first. Ended invitations are deleted after 30 days. Operator only.',
  auth: 'login',
  query: Type.Object({ ...pageQuery() }),
  success: { status: 200, data: InvitationShape, envelope: 'list', description: 'A page of invitations.' },
  invalid: 'invalid_list_request',
});

export const revokeInvitation = endpoint({
  operationId: 'revokeInvitation',
  method: 'DELETE',
  path: '/v1/invitations/{id}',
  tag,
  summary: 'Revoke an invitation',
  description: 'Its link opens no account from this moment. An account that was opened with it stays. Operator only.',
  auth: 'login',
  params: pathId('inv', 'The invitation.'),
  success: {
    status: 200,
    data: deletedShape('RevokedInvitation', 'inv'),
    envelope: 'object',
    description: 'It is revoked.',
  },
  invalid: 'invalid_request',
  errors: ['not_found'],
});
