import type { Logger } from 'pino';
import { TemporaryError } from '../../../platform/errors.ts';
import { SECOND_MS } from '../../../platform/time.ts';
import type { CheckOptions, Verdict, Watching } from '../chain.ts';
import { LocalError, ProviderError } from './errors.ts';
import type { Provider } from './provider.ts';
import type { Providers } from './providers.ts';
import { decide, isDecided, type Report } from './quorum.ts';

/** The limit for all calls of one report. Each call also has its own deadline. */
const REPORT_TIMEOUT_MS = 30 * SECOND_MS;
/** How long a higher head is waited for: an ordinary provider needs seconds, and others are paid within a minute. */
const MAX_LATE_MS = 10 * SECOND_MS;

type Log = Pick<Logger, 'error'>;

/**
 * Asks every configured provider at once and decides by `quorum.ts` as soon as further reports cannot change the
 * verdict. A head that is not enough may still rise with them: one of the first two may stand still.
 */
export function checkTransfer(
  providers: Providers,
  report: (provider: Provider) => Promise<Report>,
  { log, isEnough = () => true }: { log: Log } & Pick<CheckOptions, 'isEnough'>,
): Promise<Verdict> {
  const { names } = providers;
  const reports = new Map<string, Report>();
  const verdict = () =>
    decide(
      names.flatMap((name) => reports.get(name) ?? []),
      names.length,
    );
  return new Promise((resolve, reject) => {
    let late: NodeJS.Timeout | undefined;
    const end = () => {
      clearTimeout(late);
      resolve(verdict());
    };
    for (const name of names) {
      reportOf(providers, name, { report, log }).then((given) => {
        reports.set(name, given);
        if (!isDecided([...reports.values()], names.length)) return;
        const now = verdict();
        if (now.type !== 'stands' || reports.size === names.length || isEnough(now.head)) end();
        else late ??= setTimeout(end, MAX_LATE_MS);
      }, reject);
    }
  });
}

async function reportOf(
  providers: Providers,
  name: string,
  { report, log }: { report: (provider: Provider) => Promise<Report>; log: Log },
): Promise<Report> {
  try {
    return await providers.use((provider) => withTimeout(provider, report(provider)), { only: [name] });
  } catch (error) {
    // A report that failed does not keep the other providers from deciding.
    if (error instanceof TemporaryError)
      return { type: 'unreachable', provider: name, forMs: providers.unreachableMs(name), details: error.message };
    // An error of this server must not let another provider decide alone, so it never counts as unreachable.
    log.error({ err: error, provider: name }, 'transfer not verified: this server failed');
    return { type: 'not_yet', provider: name, details: 'this server failed to evaluate the answers', head: null };
  }
}

async function withTimeout<T>(provider: Provider, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ProviderError(`${provider.name} did not report within ${REPORT_TIMEOUT_MS / SECOND_MS} s`)),
      REPORT_TIMEOUT_MS,
    );
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The same addresses. Marks errors of this server's own queries, so that they do not count as failures of the provider.
 */
export function keepErrorsApart(watching: Watching): Watching {
  const { creditedBeside } = watching;
  if (!creditedBeside) return watching;
  return {
    ...watching,
    creditedBeside: async (...of) => {
      try {
        return await creditedBeside(...of);
      } catch (error) {
        throw new LocalError('the transfers beside this one could not be summed up', { cause: error });
      }
    },
  };
}
