import { pino } from 'pino';
import { createWatchedOf, type Evm } from '../../src/outside/chains/evm/evm.ts';

/** The configuration of Ethereum without tokens, and with what is given. */
export function evmWith(given: Partial<Evm> = {}): Evm {
  return {
    network: 'ethereum',
    chainId: 1,
    tokens: new Map(),
    native: 'ETH',
    nativeEmitter: null,
    maxFilteredWallets: 10,
    log: pino({ level: 'silent' }),
    contradicted: new Map(),
    watchedOf: createWatchedOf(),
    ...given,
  };
}

/** A log that adds the names of its alarms to a list. */
export function logOfAlarms(alarms: unknown[]): Evm['log'] {
  return pino({ level: 'error' }, { write: (line) => alarms.push((JSON.parse(line) as { alarm: unknown }).alarm) });
}
