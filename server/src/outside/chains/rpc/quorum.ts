import { isSameExceptReferences, isSameMoney, isSameVersion, referencesKey } from '../pure/version.ts';
import {
  type HeadOptions,
  type Transfer,
  type Unreachable,
  UNREACHABLE_MIN_MS,
  type Verdict,
  type VerdictHead,
  type Watching,
} from '../chain.ts';

/** From this number of configured providers on, a majority decides. */
export const MAJORITY_MIN_PROVIDERS = 3;

/** What each provider is asked about a transfer. */
export interface Question extends HeadOptions {
  transfer: Transfer;
  watching: Watching;
}

/** One provider's report about a transfer. */
export type Report =
  | { type: 'stands'; provider: string; transfer: Transfer; head: VerdictHead }
  /**
   * Its transaction is not on the provider's chain, or no longer makes this transfer. `instead` has its current
   * transfers.
   */
  | { type: 'gone'; provider: string; details: string; instead?: Transfer[] }
  /** The transfer is on the chain but does not carry the data that another provider reported. */
  | { type: 'differs'; provider: string; details: string }
  /**
   * The provider is reachable but has not reached the block, or its balances leave open whether the transfer is there.
   * This neither counts as an answer nor as unreachable.
   */
  | { type: 'not_yet'; provider: string; details: string; head: VerdictHead | null }
  /** The call failed. `forMs` counts from the first failed call after the last answer of any kind. */
  | ({ type: 'unreachable'; details: string } & Unreachable);

type Of<Type extends Report['type']> = Extract<Report, { type: Type }>;
type Gone = Extract<Verdict, { type: 'gone' }>;

/**
 * The verdict from the reports of all configured providers. With one or two, all reachable ones must agree. With three
 * or more, a majority of the configured ones decides. A reachable provider that is behind makes the others wait, unless
 * a majority has decided without it.
 */
export function decide(reports: readonly Report[], configuredCount: number): Verdict {
  return configuredCount >= MAJORITY_MIN_PROVIDERS ? byMajority(reports, configuredCount) : byAllAlive(reports);
}

/** Whether further reports cannot change the verdict. Only a majority decides before all reports are in. */
export function isDecided(reports: readonly Report[], configuredCount: number): boolean {
  if (reports.length >= configuredCount) return true;
  if (configuredCount < MAJORITY_MIN_PROVIDERS) return false;
  const { type } = decide(reports, configuredCount);
  return type === 'stands' || type === 'gone';
}

function byAllAlive(reports: readonly Report[]): Verdict {
  const [stands, gone, unreachable] = [
    ofType(reports, 'stands'),
    ofType(reports, 'gone'),
    ofType(reports, 'unreachable'),
  ];
  const undecided = waitOrDisagree(reports, reports.length);
  if (undecided) return undecided;

  const [first] = stands;
  if (first) {
    const alone =
      unreachable.length > 0 ? { unreachable: unreachable.map(({ provider, forMs }) => ({ provider, forMs })) } : null;
    return {
      type: 'stands',
      transfer: first.transfer,
      providers: stands.map(({ provider }) => provider),
      head: headReachedBy(stands, stands.length),
      alone,
    };
  }
  // No other provider could contradict a lone one, so its "gone" waits as long as its "stands" would.
  const [lone] = gone;
  if (lone && unreachable.every(({ forMs }) => forMs >= UNREACHABLE_MIN_MS)) {
    const names = unreachable.map(({ provider }) => provider);
    return { ...toGone(gone), ...(names.length > 0 && { alone: { provider: lone.provider, unreachable: names } }) };
  }
  return { type: 'unknown', details: detailsOf(reports) };
}

function byMajority(reports: readonly Report[], configuredCount: number): Verdict {
  const majority = majorityOf(configuredCount);
  const gone = ofType(reports, 'gone');
  for (const agreeing of byPlace(ofType(reports, 'stands')).values()) {
    const [first] = agreeing;
    if (!first || agreeing.length < majority) continue;
    return {
      type: 'stands',
      transfer: first.transfer,
      providers: agreeing.map(({ provider }) => provider),
      head: headReachedBy(agreeing, majority),
      alone: null,
    };
  }
  if (gone.length >= majority) return toGone(gone, majority);
  return waitOrDisagree(reports, majority) ?? { type: 'unknown', details: detailsOf(reports) };
}

function majorityOf(configuredCount: number): number {
  return Math.floor(configuredCount / 2) + 1;
}

/** A provider's answer to a question of yes or no, undefined if it failed, and for how long all its calls have failed. */
export interface YesOrNo {
  answer: boolean | undefined;
  unreachableMs: number;
}

/**
 * The quorum's answer to a question of yes or no: the majority of three or more configured providers; otherwise all but
 * those that have been unreachable for ten minutes. Null if they do not agree, or too few answer.
 */
export function decideYesOrNo(answers: readonly YesOrNo[]): boolean | null {
  const count = (wanted: boolean) => answers.filter(({ answer }) => answer === wanted).length;
  const [yes, no, configured] = [count(true), count(false), answers.length];
  if (configured >= MAJORITY_MIN_PROVIDERS) return 2 * yes > configured ? true : 2 * no > configured ? false : null;
  const isMissing = ({ answer, unreachableMs }: YesOrNo) => answer === undefined && unreachableMs < UNREACHABLE_MIN_MS;
  if (answers.some(isMissing)) return null;
  return yes > 0 && no === 0 ? true : no > 0 && yes === 0 ? false : null;
}

function waitOrDisagree(reports: readonly Report[], needed: number): Verdict | undefined {
  const denied = ofType(reports, 'differs').length + ofType(reports, 'gone').length;
  const stands = ofType(reports, 'stands');
  if (ofType(reports, 'not_yet').length > 0) return { type: 'wait', details: detailsOf(reports) };
  if (ofType(reports, 'differs').length > 0)
    return { type: 'disagree', details: detailsOf(reports), ...(denied >= needed && { isDenied: true }) };
  if (stands.length > 0 && ofType(reports, 'gone').length > 0) return { type: 'disagree', details: detailsOf(reports) };
  const places = byPlace(stands);
  const named = [...places].map(([place, at]) => `${place} (${at.map(({ provider }) => provider).join(', ')})`);
  return places.size > 1 ? { type: 'disagree', details: `in blocks ${named.join(' and ')}` } : undefined;
}

/**
 * The head that at least `count` of these providers have reached. With a majority, one provider with a frozen head
 * cannot stop settlement, and one with an invented head cannot speed it up. A tag that any provider reports is needed;
 * a block count replaces it if no provider has one, and is needed as well if fewer than `count` have it.
 */
function headReachedBy(reports: readonly Of<'stands'>[], count: number): VerdictHead {
  let hasTagOfFew = false;
  const reached = (values: readonly (bigint | null)[]): bigint | null => {
    const known = values.filter((value) => value !== null).sort((a, b) => (a > b ? -1 : a < b ? 1 : 0));
    hasTagOfFew ||= known.length > 0 && known.length < count;
    return known[Math.min(count, known.length) - 1] ?? null;
  };
  const head = {
    number: reached(reports.map(({ head }) => head.number)) as bigint,
    safe: reached(reports.map(({ head }) => head.safe)),
    finalized: reached(reports.map(({ head }) => head.finalized)),
  };
  return hasTagOfFew ? { ...head, hasTagOfFew } : head;
}

function byPlace(reports: readonly Of<'stands'>[]): Map<string, Of<'stands'>[]> {
  const places = new Map<string, Of<'stands'>[]>();
  for (const report of reports) {
    const { block } = report.transfer;
    const place = `${block.hash} of ${block.time.toISOString()}`;
    places.set(place, [...(places.get(place) ?? []), report]);
  }
  return places;
}

/** Unless as many agree on what comes instead as have to, each provider is asked for it (`replacements`). */
function toGone(gone: readonly Of<'gone'>[], needed = 1): Gone {
  const reported = gone.flatMap(({ instead }) => (instead ? [instead] : []));
  if (reported.length === 0) return { type: 'gone' };
  const isAgreed = reported.length >= needed && reported.flat().every((one) => votesFor(one, reported) >= needed);
  const transfers = mostReported(reported);
  return isAgreed ? { type: 'gone', instead: transfers } : { type: 'gone', named: transfers };
}

/**
 * What a transaction transfers instead of this, by every answer about it: no transfer, if it is not known. Of three or
 * more configured providers, most of those that answer have to show it. One of two is enough, because the other may
 * lag. The same money in another place is shown by a majority: a provider that invented it could name one each time.
 */
export function shownInstead(
  answers: readonly (readonly Transfer[])[],
  gone: Transfer,
  configuredCount: number,
): Transfer[] {
  // A provider that insists on the transfer must not bring it back.
  const others = answers.map((transfers) => transfers.filter((transfer) => !isSameVersion(transfer, gone)));
  const isEnough = (shown: Transfer) => {
    const by = votesFor(shown, others);
    if (isSameMoney(shown, gone)) return by >= majorityOf(configuredCount);
    return configuredCount < MAJORITY_MIN_PROVIDERS || 2 * by > answers.length;
  };
  return mostReported(others.map((transfers) => transfers.filter(isEnough)));
}

function votesFor(shown: Transfer, answers: readonly (readonly Transfer[])[]): number {
  return answers.filter((transfers) => transfers.some((one) => isSameExceptReferences(one, shown))).length;
}

/**
 * The transfers of one transaction by the reports of several providers: for each index, the transfer that most of them
 * report.
 */
export function mostReported(reports: readonly (readonly Transfer[])[]): Transfer[] {
  const candidates = Map.groupBy(reports.flat(), ({ index, asset, from, to, amountUnits, block }) =>
    [index, asset, from, to, amountUnits, block.hash, block.time.getTime()].join(' '),
  );
  // Honest providers may show other references, so those decide among equal transfers only.
  const ranked = mostOf([...candidates.values()]).flatMap((same) => {
    const [versions] = mostOf([...Map.groupBy(same, referencesKey).values()]);
    return versions?.[0] ?? [];
  });
  return [...Map.groupBy(ranked, ({ index }) => index).values()].flatMap(([transfer]) => transfer ?? []);
}

function mostOf<T>(groups: T[][]): T[][] {
  return groups.toSorted((a, b) => b.length - a.length);
}

/** Names each provider, because an operator has to know which one to replace. */
function detailsOf(reports: readonly Report[]): string {
  const said = reports.flatMap((report) => {
    if (!('details' in report)) return [];
    return report.details.includes(report.provider) ? report.details : `${report.provider}: ${report.details}`;
  });
  return said.join('; ') || 'no provider is configured';
}

function ofType<Type extends Report['type']>(reports: readonly Report[], type: Type): Of<Type>[] {
  return reports.filter((report): report is Of<Type> => report.type === type);
}
