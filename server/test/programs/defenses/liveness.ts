import type { Defense } from './list.ts';

const rpc = 'server/src/outside/chains/rpc';
const bounded = 'server/src/outside/chains/evm/bounded-reading.test.ts';
const leases = 'server/test/api/health/leases.test.ts';

/** What keeps a network read although a provider answers late, or refuses wide steps. */
export const LIVENESS_DEFENSES: readonly Defense[] = [
  {
    rule: 'A turn that takes long keeps its lease: third parties decide how long their answers take',
    file: 'server/src/settlement/watching/read-turn.ts',
    defends: '  using _ = holdLease(ctx.db, lease, { since: state.held.since, clock });',
    without: '  holdLease(ctx.db, lease, { since: state.held.since, clock })[Symbol.dispose]();',
    test: leases,
    named: 'keeps the lease beside a standby',
  },
  {
    rule: 'A process that gets no further gives way within a minute, however long its turn takes',
    file: 'server/src/settlement/reading/hold-lease.ts',
    defends: 'export const MAX_HOLD_MS = 40 * SECOND_MS;',
    without: 'export const MAX_HOLD_MS = 40_000 * SECOND_MS;',
    test: leases,
    named: 'keeps the lease beside a standby',
  },
  {
    rule: 'Each step of a pass extends the lease, which both of them share',
    file: 'server/src/settlement/reading/read-forward.ts',
    defends: '      await renewLease(ctx.db, lease, { pass }, clock());',
    without: '      if (startedMs < 0) await renewLease(ctx.db, lease, { pass }, clock());',
    test: 'server/test/api/health/networks.test.ts',
    named: 'catches up slowly keeps the lease beside a standby',
  },
  {
    rule: 'A provider that answers late is asked after one that answers soon',
    file: `${rpc}/providers.ts`,
    defends: ' + latencyRank(member);',
    without: ' + 0 * latencyRank(member);',
    test: `${rpc}/providers.test.ts`,
    named: 'is overtaken by the next one after a second, and is not asked first again',
  },
  {
    rule: 'While a provider takes far longer than usual, the next one is asked',
    file: `${rpc}/providers.ts`,
    defends: 'candidates.length === 0 || this.#hedges < 1) return;',
    without: 'candidates.length === 0 || this.#hedges < 100) return;',
    test: `${rpc}/providers.test.ts`,
    named: 'is overtaken by the next one after a second, and is not asked first again',
  },
  {
    rule: 'Where all providers need long, hardly more calls are made than without the others',
    file: `${rpc}/providers.ts`,
    defends: '          this.#hedges -= 1;',
    without: '          this.#hedges -= 0;',
    test: `${rpc}/providers.test.ts`,
    named: 'if all of them need many calls',
  },
  {
    rule: 'A step that fails over more than one block, for whatever reason, is tried with half',
    file: `${rpc}/narrowing.ts`,
    defends: '  if (error instanceof ProviderError && error.cause === undefined) return false;',
    without: "  if (!String(error).includes('too large')) return false;",
    test: bounded,
    named: 'is narrowed to one block, and reading goes on',
  },
  {
    rule: 'A step counts against its provider only if half of it fails too',
    file: `${rpc}/narrowing.ts`,
    defends: 'if (!mayDependOnWidth(error) || !window.doubt(tried)) throw error;',
    without: 'if (!mayDependOnWidth(error) || !window.doubt(tried) || tried > 0) throw error;',
    test: bounded,
    named: 'is narrowed to one block, and reading goes on',
  },
  {
    rule: 'A provider that takes long to refuse a step is not asked for less until another one may be asked',
    file: `${rpc}/narrowing.ts`,
    defends: 'performance.now() - startedMs > MAX_RETRYING_MS)',
    without: 'performance.now() - startedMs > MAX_RETRYING_MS * 1_000)',
    test: `${rpc}/window.test.ts`,
    named: 'that takes three seconds to refuse it',
  },
  {
    rule: 'What contradicts itself is not asked for in smaller steps until it does not',
    file: `${rpc}/narrowing.ts`,
    defends: '  if (error instanceof ProviderError && error.cause === undefined) return false;',
    without: '',
    test: `${rpc}/window.test.ts`,
    named: 'whose answers contradict each other',
  },
  {
    rule: 'Whole blocks share a request only as far as a node sends their bytes in one answer',
    file: 'server/src/outside/chains/evm/calls.ts',
    defends: '    isLarge: true,\n',
    without: '',
    test: 'server/src/outside/chains/evm/read-blocks.test.ts',
    named: 'whole blocks share a request',
  },
];
