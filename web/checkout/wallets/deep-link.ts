/** A link that opens a page in the wallet's own browser, from its template in `deep-links.json`. */
export function deepLink(template: string, page: string): string {
  const { origin } = new URL(page);
  const values: Record<string, string> = {
    page_encoded: encodeURIComponent(page),
    page_without_scheme: page.replace(/^https?:\/\//, ''),
    origin_encoded: encodeURIComponent(origin),
  };
  return template.replace(/\{(\w+)\}/g, (_place, name: string) => values[name] ?? '');
}
