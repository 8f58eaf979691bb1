export const INVITATION_TOKEN_LENGTH = 43;

/** The token is in the fragment, which browsers send neither to the server nor in a `Referer` header. */
export function invitationUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/dashboard/sign-in#invitation=${token}`;
}
