import type { Defense } from './list.ts';

const settlement = 'server/src/settlement';
const rpc = 'server/src/outside/chains/rpc';
const journeys = 'server/test/journeys';
const quorum = `${journeys}/provider-quorum.test.ts`;
const single = `${journeys}/single-provider.test.ts`;

/** What a lying, lagging or unreachable RPC provider must not achieve. */
export const QUORUM_DEFENSES: readonly Defense[] = [
  {
    rule: 'One of two providers alone pays nothing of 1,000 USD or more, and nothing before the other was unreachable for ten minutes',
    file: `${settlement}/verification/verify-transfers.ts`,
    defends: `if (worth >= SINGLE_PROVIDER_LIMIT_USD_MINOR || !isAloneForLong(verdict))
    return`,
    without:
      '  if (worth < 0n || (isAloneForLong(verdict) && worth >= SINGLE_PROVIDER_LIMIT_USD_MINOR && chain === undefined)) return',
    test: single,
    named: 'a payment of 1,000 waits for it',
  },
  {
    rule: 'A provider is unreachable only after ten minutes',
    file: `${settlement}/verification/single-provider.ts`,
    defends: 'alone.unreachable.every(({ forMs }) => forMs >= UNREACHABLE_MIN_MS)',
    without: 'alone.unreachable.every(({ forMs }) => forMs < 0 || UNREACHABLE_MIN_MS > 0)',
    test: single,
    named: 'a small payment waits ten minutes',
  },
  {
    rule: 'A provider that is behind is never unreachable: the others wait for it',
    file: `${rpc}/quorum.ts`,
    defends: '  return configuredCount >= MAJORITY_MIN_PROVIDERS ?',
    without:
      "  reports = reports.map((report) => (report.type === 'not_yet' ? { type: 'unreachable', provider: report.provider, forMs: UNREACHABLE_MIN_MS, details: '' } : report));\n  return configuredCount >= MAJORITY_MIN_PROVIDERS ?",
    test: quorum,
    named: 'the invented payment stays pending',
  },
  {
    rule: 'A provider that only lags does not become unreachable by that',
    file: `${rpc}/providers.ts`,
    defends:
      '      if (failure instanceof ProviderBehindError) this.#fellBehind(member, failure);\n      else if (!ignoreFailures)',
    without:
      '      if (failure instanceof ProviderBehindError && member === undefined) this.#fellBehind(member, failure);\n      else if (!ignoreFailures)',
    test: `${rpc}/providers.test.ts`,
    named: 'a provider that is behind is alive',
  },
  {
    rule: 'An answer in between ends the time that a provider was unreachable',
    file: `${rpc}/providers.ts`,
    defends: '    member.calls.succeeded();\n',
    without: '',
    test: single,
    named: 'answers once in a while',
  },
  {
    rule: 'A provider that was not called for long is not unreachable after one failure',
    file: `${rpc}/failure-run.ts`,
    defends: 'atMs - this.#run.lastMs <= MAX_GAP_MS',
    without: 'MAX_GAP_MS > 0',
    test: `${journeys}/evm-agreement.test.ts`,
    named: 'failed hours ago and was not called since',
  },
  {
    rule: 'The amount that a single provider settles within an hour is capped, over all processes',
    file: `${settlement}/verification/single-provider.ts`,
    defends: '  if (totalUsdMinor > capUsdMinor) return undefined;',
    without: '  if (totalUsdMinor < 0n) return undefined;',
    test: single,
    named: 'no more than the cap is settled within an hour',
  },
  {
    rule: 'Two processes do not both use what is left of the cap',
    file: `${settlement}/verification/single-provider-store.ts`,
    defends: 'on conflict (network) do update set locked_at = excluded.locked_at`',
    without: 'on conflict (network) do nothing`',
    test: 'server/test/api/settlement/single-provider-cap.test.ts',
    named: 'two transactions at once',
  },
  {
    rule: 'Of three providers a majority decides, not the first that answers',
    file: `${rpc}/quorum.ts`,
    defends: '  const majority = Math.floor(configuredCount / 2) + 1;',
    without: '  const majority = Math.min(configuredCount, 1);',
    test: `${journeys}/evm-agreement.test.ts`,
    named: 'three providers, one of which lies',
  },
  {
    rule: 'A transfer is not gone because one provider says so alone',
    file: `${rpc}/quorum.ts`,
    defends: '  if (gone.length > 0 && unreachable.every(({ forMs }) => forMs >= UNREACHABLE_MIN_MS)) return',
    without: '  if (gone.length > 0 && unreachable.every(({ forMs }) => forMs >= 0 && UNREACHABLE_MIN_MS > 0)) return',
    test: `${journeys}/evm-agreement.test.ts`,
    named: 'a transfer is not gone because one provider says so',
  },
  {
    rule: 'A head does not jump further than time allows',
    file: `${rpc}/heads.ts`,
    defends: 'if (reach !== null && reported.number > reach + BigInt(MAX_BLOCKS_AT_ONCE)) {',
    without: 'if (reach !== null && reported.number < reach - BigInt(MAX_BLOCKS_AT_ONCE) * 1_000_000n) {',
    test: `${rpc}/heads.test.ts`,
    named: 'the same holds for a provider that has not reported before',
  },
  {
    rule: 'A head that one provider invents does not stop the reading of what the others have',
    file: `${rpc}/chain.ts`,
    defends: '      if (reachedBy !== undefined && error instanceof TemporaryError)',
    without: "      if (reachedBy === '' && error instanceof TemporaryError)",
    test: `${journeys}/provider-quorum.test.ts`,
    named: 'names a head that no other has',
  },
  {
    rule: 'An answer that cannot be evaluated does not keep other providers from deciding',
    file: `${rpc}/check.ts`,
    defends: "    log.error({ err: error, provider: name }, 'transfer not verified: this server failed');\n",
    without: '    if (error) throw error;\n',
    test: `${rpc}/check.test.ts`,
    named: 'does not keep the others from deciding',
  },
  {
    rule: 'A provider cannot fill the log with answers that trigger a bug',
    file: `${rpc}/failures.ts`,
    defends: 'if (last !== undefined && nowMs - last < LOG_EVERY_MS) return false;',
    without: 'if (last !== undefined && nowMs - last < 0) return false;',
    test: `${rpc}/failures.test.ts`,
    named: 'is logged once a minute',
  },
  {
    rule: 'A block is not dated in the future',
    file: `${rpc}/heads.ts`,
    defends: '  if (usualBlockMs === null || block.time.getTime() <= nowMs() + MAX_CLOCK_DIFFERENCE_MS) return;',
    without:
      '  if (usualBlockMs === null || block.time.getTime() <= nowMs() + MAX_CLOCK_DIFFERENCE_MS * 1_000) return;',
    test: `${rpc}/heads.test.ts`,
    named: 'dated more than 30 seconds in the future',
  },
  {
    rule: 'Every configured provider is asked',
    file: `${rpc}/check.ts`,
    defends: '  const { names } = providers;',
    without: '  const names = providers.names.slice(0, 1);',
    test: `${journeys}/evm-agreement.test.ts`,
    named: 'a receipt that one provider turned over',
  },
  {
    rule: 'A pass that read invented blocks returns to the real chain',
    file: `${settlement}/reading/read-forward.ts`,
    defends: `if (cursor.number - head.number > MAX_ABOVE_HEAD)
    throw`,
    without: '  if (cursor.number - head.number > MAX_ABOVE_HEAD * 1_000n) throw',
    test: 'server/test/api/settlement/provider-faults.test.ts',
    named: 'a reader that followed a provider far beyond the head',
  },
  {
    rule: 'A provider that is on another branch by itself is passed over',
    file: `${rpc}/chain.ts`,
    defends: `if (same > other || (same === other && pass === 'first'))
        throw`,
    without: '      if (same > other + names.length) throw',
    also: {
      file: `${rpc}/chain.ts`,
      defends: '      const others = this.#providers.names.filter((name) => name !== provider.name);',
      without:
        '      const { names } = this.#providers;\n      const others = names.filter((name) => name !== provider.name);',
    },
    test: `${journeys}/evm-agreement.test.ts`,
    named: 'alone on another branch',
  },
  {
    rule: 'A provider that insists on what a majority has decided against does not bring it back',
    file: `${rpc}/chain.ts`,
    defends: 'transfers.filter((transfer) => !isSameVersion(transfer, gone))',
    without: 'transfers.filter((transfer) => isSameVersion(transfer, transfer))',
    test: quorum,
    named: 'three Ethereum providers, one of them 900 blocks ahead',
  },
  {
    rule: 'With one or two providers the lowest head of those that agree decides finality',
    file: 'server/src/outside/chains/rpc/quorum.ts',
    defends: 'head: headReachedBy(stands, stands.length),',
    without: 'head: headReachedBy(stands, 1),',
    test: 'server/src/outside/chains/rpc/quorum.test.ts',
    named: 'is the lower one of two providers',
  },
  {
    rule: 'With three providers the head that a majority has reached decides finality',
    file: 'server/src/outside/chains/rpc/quorum.ts',
    defends: 'head: headReachedBy(agreeing, majority),',
    without: 'head: headReachedBy(agreeing, 1),',
    test: 'server/src/outside/chains/rpc/quorum.test.ts',
    named: 'so that an invented head does not count',
  },
  {
    rule: 'One provider alone does not make a final transfer disappear',
    file: 'server/src/settlement/verification/recheck-final.ts',
    defends: '    default:\n      return false;',
    without: '    default:\n      return reportDisappeared(ctx, transfer);',
    test: 'server/test/journeys/transfer-disappears.test.ts',
    named: 'is not reported while one provider says so',
  },
  {
    rule: 'A transfer that is back counts only once it is final again',
    file: 'server/src/settlement/verification/report-disappeared.ts',
    defends: '    if (isBack && !isFinalAgain(ctx, current, payment, verdict)) return;',
    without: '    void isFinalAgain;',
    test: 'server/test/journeys/transfer-disappears.test.ts',
    named: 'comes back in a later block',
  },
  {
    rule: 'A transaction explains why no money came only once a second provider says that it failed',
    file: 'server/src/settlement/outcome/expiry-store.ts',
    defends: 'where payment_id = $1 and confirmed limit 1',
    without: 'where payment_id = $1 limit 1',
    test: 'server/test/api/settlement/reverted-by-one.test.ts',
    named: 'where one provider',
  },
  {
    rule: 'A provider that says that a transaction failed does not keep a hint from the others',
    file: 'server/src/outside/chains/rpc/chain.ts',
    defends: 'if (found && !found.reverted) return',
    without: 'if (found) return',
    test: 'server/test/api/settlement/reverted-by-one.test.ts',
    named: 'of which the first provider',
  },
  {
    rule: 'A refund failed only if a second provider says so',
    file: 'server/src/resources/dashboard/refund.ts',
    defends: "revertReporterOf(chain, found).isConfirmed ? 'reverted' : 'unknown'",
    without: "revertReporterOf(chain, found).providers.length > 0 ? 'reverted' : 'unknown'",
    test: 'server/test/api/settlement/reverted-by-one.test.ts',
    named: 'and that says that it failed',
  },
  {
    rule: 'A transaction is unknown only if as many providers as a verdict needs do not know it',
    file: 'server/src/outside/chains/rpc/chain.ts',
    defends: 'if (failure && !movedNothing()) throw failure;',
    without: '',
    test: 'server/test/api/settlement/reverted-by-one.test.ts',
    named: 'and that does not have it',
  },
  {
    rule: 'A transfer that only one provider reported is not assigned to a payment',
    file: 'server/src/resources/transfers/assign.ts',
    defends: 'if (!transfer.confirmed)',
    without: 'if (transfer.confirmed === null)',
    test: 'server/test/api/transfers/final-by-block.test.ts',
    named: 'not assignable until another one reports it',
  },
];
