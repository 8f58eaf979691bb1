import type { Logger } from 'pino';
import { TemporaryError } from '../../../platform/errors.ts';
import type { Transfer } from '../chain.ts';
import { isSameMoney } from '../pure/version.ts';
import type { Provider } from './provider.ts';
import type { Providers } from './providers.ts';
import { MAJORITY_MIN_PROVIDERS, shownInstead } from './quorum.ts';

/** What one provider shows of the transaction, undefined if it does not know it. */
type Find = (provider: Provider) => Promise<readonly Transfer[] | undefined>;

/** Asks every provider: a single one could hide a replacement behind invented transfers. */
export async function findReplacements(
  providers: Pick<Providers, 'names' | 'use'>,
  gone: Transfer,
  find: Find,
  log: Pick<Logger, 'error'>,
): Promise<Transfer[]> {
  const { names } = providers;
  const answers = await Promise.allSettled(
    names.map((name) =>
      providers.use(async (provider) => ({ provider: name, transfers: (await find(provider)) ?? [] }), {
        only: [name],
        ignoreFailures: true,
      }),
    ),
  );
  const failed = answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => reason as unknown);
  const fatal = failed.find((error) => !(error instanceof TemporaryError));
  if (fatal !== undefined) throw fatal;
  if (failed.length === answers.length) throw failed[0];
  const reports = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const shown = shownInstead(
    reports.map(({ transfers }) => transfers),
    gone,
    names.length,
  );
  const insisting = reports.filter(({ transfers }) => transfers.some((one) => isSameMoney(one, gone)));
  // One of two may be right while the other one lags.
  const isLie = names.length >= MAJORITY_MIN_PROVIDERS && !shown.some((one) => isSameMoney(one, gone));
  if (isLie && insisting.length > 0)
    log.error(
      {
        alarm: 'provider_contradicted',
        network: gone.network,
        txHash: gone.txHash,
        providers: insisting.map(({ provider }) => provider),
      },
      'provider contradicted: the others report another transfer, or none',
    );
  return shown;
}
