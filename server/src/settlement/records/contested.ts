import type { Chain, FoundTransaction, Transfer } from '../../outside/chains/chain.ts';
import { isSameExceptReferences, isSameVersion } from '../../outside/chains/pure/version.ts';
import type { Contested, ContestedVersion, StoredTransfer } from './transfer-store.ts';

/** Versions kept of one transfer, beside the stored one. */
const MAX_VERSIONS = 4;

/** Who reported a transfer, and whether that is enough: several providers did, or no other one is configured. */
export interface Reporter {
  providers: readonly string[];
  isConfirmed: boolean;
}

/** Transfers that no one else can report: those of the sandbox. */
export const SOLE_REPORTER: Reporter = { providers: [], isConfirmed: true };

/** What an unnamed provider showed: any other provider, or the quorum, confirms it. */
export const UNNAMED_REPORTER: Reporter = { providers: [], isConfirmed: false };

/** One provider's report. The second pass, or the quorum, confirms it; a network's only provider confirms itself. */
export function reporterOf(chain: Pick<Chain, 'health'>, provider: string): Reporter {
  return { providers: [provider], isConfirmed: providersOf(chain).length < 2 };
}

/** The names of the configured providers. */
export function providersOf(chain: Pick<Chain, 'health'>): string[] {
  return chain.health().providers.map(({ name }) => name);
}

/** Who says that a transaction reverted, or pays no watched address. One of several providers is not enough. */
export function emptyReporterOf(
  chain: Pick<Chain, 'health'>,
  { provider, alsoBy }: Pick<FoundTransaction, 'provider' | 'alsoBy'>,
): Reporter {
  const alone = reporterOf(chain, provider);
  return alsoBy === undefined ? alone : { providers: [provider, alsoBy], isConfirmed: true };
}

/**
 * The contest with one more report, which differs from the stored version; undefined if that adds nothing. A provider
 * has one version at a time, so that one that lies differently each time takes no place of an honest one.
 */
export function contestWith(
  { contested }: StoredTransfer,
  seen: Transfer,
  { providers }: Reporter,
  at: Date,
): Contested | undefined {
  const known = contested?.versions ?? [];
  const same = known.find((version) => isSameVersion(toTransfer(seen, version), seen));
  if (same && providers.every((name) => same.providers.includes(name))) return undefined;
  const versions = known.filter((version) => version === same || !isOnlyBy(version, providers));
  if (!same && versions.length >= MAX_VERSIONS) return undefined;
  return {
    since: contested?.since ?? at.toISOString(),
    versions: same
      ? versions.map((one) =>
          one === same ? { ...one, providers: [...new Set([...one.providers, ...providers])] } : one,
        )
      : [...versions, toVersion(seen, providers)],
  };
}

function isOnlyBy(version: ContestedVersion, providers: readonly string[]): boolean {
  return version.providers.length > 0 && version.providers.every((name) => providers.includes(name));
}

/**
 * Every version of a transfer, those with more references first: a provider confirms references that it is asked for,
 * and none that it is not.
 */
export function versionsOf(transfer: StoredTransfer): Transfer[] {
  const others = transfer.contested?.versions ?? [];
  return [transfer, ...others.map((version) => toTransfer(transfer, version))].toSorted(
    (a, b) => b.carried.length - a.carried.length,
  );
}

/** What each provider reported, for the log: only the fields that differ. */
export function describeReports(transfer: StoredTransfer): { provider: string; reported: string }[] {
  const all = [
    { providers: transfer.reportedBy, one: transfer as Transfer },
    ...(transfer.contested?.versions ?? []).map((version) => ({
      providers: version.providers,
      one: toTransfer(transfer, version),
    })),
  ];
  const isDifferent = (field: (one: Transfer) => unknown) => new Set(all.map(({ one }) => String(field(one)))).size > 1;
  const fields = Object.entries(FIELDS).filter(([, field]) => isDifferent(field));
  return all.flatMap(({ providers, one }) =>
    providers.map((provider) => ({
      provider,
      reported: fields.map(([name, field]) => `${name} ${String(field(one))}`).join(', '),
    })),
  );
}

/** Providers whose version differs from the one that the quorum decided for in what every honest node shows alike. */
export function contradictedBy(transfer: StoredTransfer, right: Transfer | null): string[] {
  const all = [
    { providers: transfer.reportedBy, one: transfer as Transfer },
    ...(transfer.contested?.versions ?? []).map((version) => ({
      providers: version.providers,
      one: toTransfer(transfer, version),
    })),
  ];
  return [
    ...new Set(all.flatMap(({ providers, one }) => (right && isSameExceptReferences(one, right) ? [] : providers))),
  ];
}

/** Whether the versions differ in their references only. */
export function isAboutReferences(transfer: StoredTransfer): boolean {
  return versionsOf(transfer).every((version) => isSameExceptReferences(version, transfer));
}

const FIELDS: Record<string, (one: Transfer) => unknown> = {
  asset: (one) => one.asset,
  from: (one) => one.from,
  to: (one) => one.to,
  amount: (one) => one.amountUnits,
  time: (one) => one.block.time.toISOString(),
  references: (one) => one.carried.length,
};

function toVersion(seen: Transfer, providers: readonly string[]): ContestedVersion {
  return {
    providers: [...providers],
    asset: seen.asset,
    from: seen.from,
    to: seen.to,
    amountUnits: seen.amountUnits.toString(),
    blockTime: seen.block.time.toISOString(),
    carried: seen.carried.map(toHex),
    unproven: (seen.unproven ?? []).map(toHex),
  };
}

function toTransfer(place: Transfer, version: ContestedVersion): Transfer {
  const { network, txHash, index, block, untraced } = place;
  return {
    network,
    txHash,
    index,
    asset: version.asset,
    from: version.from,
    to: version.to,
    amountUnits: BigInt(version.amountUnits),
    block: { ...block, time: new Date(version.blockTime) },
    carried: version.carried.map(fromHex),
    ...(version.unproven.length > 0 && { unproven: version.unproven.map(fromHex) }),
    ...(untraced && { untraced }),
  };
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function fromHex(text: string): Uint8Array {
  return Buffer.from(text, 'hex');
}
