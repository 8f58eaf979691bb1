import type { InvitationJson, InvitationWithUrlJson } from '@quittance/contract';
import type { NewInvitation } from './create.ts';
import { type Invitation, statusOf } from './invitation.ts';

export function presentInvitation(invitation: Invitation, now: Date): InvitationJson {
  return {
    id: invitation.id,
    object: 'invitation',
    status: statusOf(invitation, now),
    email: invitation.email,
    label: invitation.label,
    created_at: invitation.createdAt.toISOString(),
    expires_at: invitation.expiresAt.toISOString(),
    used_at: invitation.usedAt?.toISOString() ?? null,
  };
}

export function presentNewInvitation({ invitation, url }: NewInvitation, now: Date): InvitationWithUrlJson {
  return { ...presentInvitation(invitation, now), url };
}
