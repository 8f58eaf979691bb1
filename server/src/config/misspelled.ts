/** Only this service uses these prefixes, so an unknown setting is a mistake. */
export const OWN_PREFIXES = [
  'RPC_',
  'CONFIRMATIONS_',
  'TOKEN_',
  'CHAIN_ID_',
  'GENESIS_',
  'REST_SECONDS_',
  'PRICES_',
  'ROUTES_',
  'WEBHOOK_',
  'RATE_LIMIT_',
  'X402_',
  'RESERVED_AMOUNTS_',
  'SINGLE_PROVIDER_',
  'LOGIN_MAILS_',
  'RECEIPT_MAILS_',
  'WALLETCONNECT_',
  'EXTRA_ASSETS',
];
/** Kubernetes adds these variables to each pod for a service of that name, unless `enableServiceLinks` is off. */
const SERVICE_LINK =
  /^(.+?)_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;
const MIN_LENGTH_FOR_TWO_SLIPS = 8;
const MIN_LENGTH = 4;

/** Names in the environment that are probably misspelled settings, with the setting that was probably meant. */
export function findMisspelled(
  names: readonly string[],
  known: readonly string[],
): { name: string; meant: string | null }[] {
  const isKnown = new Set(known);
  return names
    .filter((name) => !isKnown.has(name) && !isServiceLink(name, names))
    .flatMap((name) => {
      const meant = known.find((setting) => isNear(name, setting)) ?? null;
      return meant !== null || OWN_PREFIXES.some((prefix) => name.startsWith(prefix)) ? [{ name, meant }] : [];
    });
}

function isServiceLink(name: string, names: readonly string[]): boolean {
  const service = SERVICE_LINK.exec(name)?.[1];
  return service !== undefined && names.includes(`${service}_SERVICE_HOST`);
}

function isNear(name: string, setting: string): boolean {
  if (name.length < MIN_LENGTH || Math.abs(name.length - setting.length) > 2) return false;
  return editDistance(name, setting) <= (setting.length >= MIN_LENGTH_FOR_TWO_SLIPS ? 2 : 1);
}

/** How many letters are missing, added, changed, or swapped with their neighbor (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const above = rows[i - 1] as number[];
      const change = (above[j - 1] as number) + Number(a[i - 1] !== b[j - 1]);
      let least = Math.min((above[j] as number) + 1, (row[j - 1] as number) + 1, change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (rows[i - 2]?.[j - 2] as number) + 1);
      row.push(least);
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] as number;
}
