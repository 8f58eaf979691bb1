import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { deletedShape, emailInput, LIMITS, pageQuery } from '../shapes/common.ts';
import { InvitationShape, InvitationWithUrlShape } from '../shapes/invitation.ts';
import { pathId } from '../shapes/schema.ts';

const tag = 'Invitations';
const HOUR_SECONDS = 3_600;

const createInvitation = endpoint({
  method: 'POST',
  path: '/v1/invitations',
  tag,
  summary: 'Invite a merchant',
  description:
    "Creates a link that opens one account. Only the operator's account can invite, and only while the " +
    'server accepts invitations (`SIGNUP=invite` or `open`). If you send `email`, the server also emails the link.',
  auth: 'login',
  body: Type.Object({
    email: Type.Optional(emailInput('Email the link to this address.', 'new-shop@example.com')),
    label: Type.Optional(
      Type.String({
        description: 'A label for your own reference.',
        text: 'line',
        maxLength: LIMITS.labelLength,
        examples: ['The second shop'],
      }),
    ),
    expires_in: Type.Optional(
      Type.Integer({
        description: 'Seconds until it expires, from 3600 (one hour) to 2592000 (30 days).',
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
  errors: ['signup_closed', 'email_unavailable'],
});

const listInvitations = endpoint({
  method: 'GET',
  path: '/v1/invitations',
  tag,
  summary: 'List invitations',
  description: 'Newest first. Ended invitations are deleted after 30 days. Operator only.',
  auth: 'login',
  query: Type.Object({ ...pageQuery() }),
  success: { status: 200, data: InvitationShape, envelope: 'list', description: 'A page of invitations.' },
  invalid: 'invalid_list_request',
});

const revokeInvitation = endpoint({
  method: 'DELETE',
  path: '/v1/invitations/{id}',
  tag,
  summary: 'Revoke an invitation',
  description: 'The link stops working immediately. An account that was opened with it is not affected. Operator only.',
  auth: 'login',
  params: pathId('inv', 'The invitation.'),
  success: {
    status: 200,
    data: deletedShape('RevokedInvitation', 'inv'),
    envelope: 'object',
    description: 'Confirmation.',
  },
  errors: ['not_found'],
});

export const invitationEndpoints = { createInvitation, listInvitations, revokeInvitation };
