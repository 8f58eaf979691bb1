/** Permission to open one account. The token is in the link only; the database stores its hash. */
export interface Invitation {
  id: string;
  kind: 'setup' | 'member';
  /** The operator who created it; null for the setup link. */
  accountId: string | null;
  email: string | null;
  label: string | null;
  createdAt: Date;
  expiresAt: Date;
  usedAt: Date | null;
  revokedAt: Date | null;
}

export type InvitationStatus = 'pending' | 'used' | 'revoked' | 'expired';

export function statusOf(invitation: Invitation, now: Date): InvitationStatus {
  if (invitation.usedAt) return 'used';
  if (invitation.revokedAt) return 'revoked';
  return invitation.expiresAt <= now ? 'expired' : 'pending';
}

export const INVITATION_TOKEN_LENGTH = 43;

/** The token is in the fragment, which browsers send neither to the server nor in a `Referer` header. */
export function invitationUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/dashboard/sign-in#invitation=${token}`;
}
