const FORM = /^https?:\/\/[^/]+\/logos\/([0-9a-f]{64})$/;

/** Where a stored logo is served. The name follows from the content, so what is there never changes. */
export function logoUrl(publicUrl: string, hash: string): string {
  return `${publicUrl}/logos/${hash}`;
}

/** The hash in an address of this form, which the service may have had under an earlier host name. */
export function hashIn(url: string | null): string | null {
  return FORM.exec(url ?? '')?.[1] ?? null;
}

/** The path of a logo that this service serves; null for one elsewhere. */
export function ownLogoPath(publicUrl: string, url: string | null): string | null {
  return hashIn(url) !== null && url?.startsWith(`${publicUrl}/`) ? url.slice(publicUrl.length) : null;
}
