import type { Transfer } from '../../outside/chains/chain.ts';
import type { Candidate, Candidates } from './attribute.ts';

// Fixtures for the attribution tests.
export const WALLET = '0x1111111111111111111111111111111111111111';
export const created = new Date('2026-01-01T12:00:00Z');
export const alice = candidate({ paymentId: 'pay_alice' });
export const bob = candidate({ paymentId: 'pay_bob' });
export const nothing: Candidates = {
  reserved: null,
  authorized: [],
  referenced: [],
  unproven: [],
  senders: [],
  claimed: [],
  siblings: [],
  elsewhere: [],
  former: null,
  address: { thisAsset: true, thisNetwork: true, otherNetwork: false },
};
export const reservedFor = (
  owner: Candidate,
  purpose: 'target' | 'remainder' | 'route_output' = 'target',
  until: Date | null = null,
  since = created,
): Candidates['reserved'] => ({
  candidate: owner,
  purpose,
  targetId: purpose === 'remainder' ? null : 'tgt_1',
  since,
  until,
});

export function candidate(changes: Partial<Candidate>): Candidate {
  return {
    paymentId: 'pay_1',
    status: 'pending',
    createdAt: created,
    receiveAsset: 'USDC',
    receiveNetwork: 'base',
    receiveAddress: WALLET,
    acceptsDirect: true,
    amountMinor: 4900n,
    requiredUnits: 49_000_000n,
    dueUnits: 49_000_000n,
    enoughUnits: 48_755_000n,
    transferCount: 0,
    ...changes,
  };
}

export function transfer(changes: Partial<Transfer>): Transfer {
  return {
    network: 'base',
    txHash: '0xaa',
    index: 0,
    asset: 'USDC',
    from: '0x3333333333333333333333333333333333333333',
    to: WALLET,
    amountUnits: 49_000_017n,
    block: block(30),
    carried: [],
    ...changes,
  };
}

export function block(secondsAfterCreation: number) {
  return { number: 100n, hash: '0xbb', time: new Date(created.getTime() + secondsAfterCreation * 1000) };
}
